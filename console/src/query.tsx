// Queries: GraphiQL, and beside the answer how it came about. The editor's code is loaded with this page only.

import { Suspense, lazy, useCallback, useEffect, useRef, useState } from "react";
import * as api from "./api";
import type { PageProps } from "./console";
import { Explained } from "./explained";

const Editor = lazy(() => import("./editor"));

/** A request that was answered. */
export interface Answered {
  request: api.GraphqlRequest;
  /** None for a subscription, whose answers come later. */
  answer: api.GraphqlAnswer | null;
  caller: api.Caller;
}

export function Query({ caller }: PageProps) {
  const [answered, setAnswered] = useState<Answered | null>(null);
  const latest = useRef(caller);
  latest.current = caller;
  const note = useCallback((request: api.GraphqlRequest, answer: api.GraphqlAnswer | null) => {
    setAnswered({ request, answer, caller: latest.current });
  }, []);
  // What another role was shown must not stand beside its answer.
  useEffect(() => setAnswered(null), [caller]);
  return (
    <>
      <h1 className="hidden">Query</h1>
      <div className="editor">
        <Suspense fallback={<p className="quiet center" role="status">Loading the editor …</p>}>
          <Editor caller={caller} onAnswer={note} />
        </Suspense>
      </div>
      <Explained answered={answered} caller={caller} />
    </>
  );
}
