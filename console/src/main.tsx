// The console's page. Style sheets that the editor adds later bear the page's nonce, which the policy asks for.

import { createRoot } from "react-dom/client";
import { Console } from "./console";
import "./style.css";

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
const create = document.createElement;
document.createElement = function createElement(this: Document, name: string, options?: ElementCreationOptions) {
  const element = create.call(this, name, options);
  if (nonce && element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
} as typeof document.createElement;

const root = document.getElementById("root");
if (root) createRoot(root).render(<Console />);
