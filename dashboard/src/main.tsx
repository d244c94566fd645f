// The dashboard's page. The texts of the language come before anything is shown.

import { createRoot } from "react-dom/client";
import { Application } from "./application";
import { restore } from "./session";
import { preferredLanguage, setLanguage } from "./text";
import "./style.css";

const root = createRoot(document.getElementById("root")!);
await setLanguage(preferredLanguage());
root.render(<Application />);
void restore();
