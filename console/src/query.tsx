// Queries: GraphiQL, and beside the answer how it came about. The editor's code is loaded with this page only.

import { Suspense, lazy, useState } from "react";
import { Explained } from "./explained";
import type { Sent } from "./session";
import type { Answered, PageProps } from "./types";

const Editor = lazy(() => import("./editor"));

export function Query({ caller }: PageProps) {
  const [answered, setAnswered] = useState<Answered | null>(null);
  const [sent, setSent] = useState<Sent | null>(null);
  return (
    <>
      <h1 className="hidden">Query</h1>
      <div className="editor">
        <Suspense fallback={<p className="quiet center" role="status">Loading the editor …</p>}>
          <Editor caller={caller} sent={sent} onSent={setSent} onAnswer={setAnswered} />
        </Suspense>
      </div>
      <Explained answered={answered} caller={caller} />
    </>
  );
}
