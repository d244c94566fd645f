// GraphiQL for one caller: its requests, its subscriptions and its schema. The next caller gets an editor of its own.

import { useMemo } from "react";
import { GraphiQL } from "graphiql";
import type { Fetcher } from "@graphiql/toolkit";
import { getOperationAST } from "graphql";
import { type GraphqlRequest, graphql } from "./api";
import { SentAs } from "./parts";
import type { Caller, Sent } from "./session";
import type { Answered } from "./types";
import "./comments";
import "./workers";
import "@graphiql/react/style.css";
import "@graphiql/plugin-history/style.css";
import "@graphiql/plugin-doc-explorer/style.css";
import "graphiql/graphiql.css";
import "./editor.css";

const DEFAULT_QUERY = `# Ctrl+Enter (⌘+Enter) runs the request. Beside the answer stands how it came about.

query Tables {
  __schema {
    queryType {
      fields {
        name
      }
    }
  }
}
`;

interface EditorProps {
  caller: Caller;
  sent: Sent | null;
  /** The result pane shows something else from now on. */
  onSent: (sent: Sent | null) => void;
  onAnswer: (answered: Answered | null) => void;
}

export default function Editor({ caller, sent, onSent, onAnswer }: EditorProps) {
  const fetcher = useMemo(() => fetcherOf(caller, onSent, onAnswer), [caller, onSent, onAnswer]);
  return (
    <GraphiQL fetcher={fetcher} defaultQuery={DEFAULT_QUERY} isHeadersEditorEnabled={false} shouldPersistHeaders={false}
      defaultEditorToolsVisibility={false} forcedTheme="system" storage={storage}>
      <GraphiQL.Logo><span className="hidden">GraphiQL</span></GraphiQL.Logo>
      <GraphiQL.Footer>{sent && <SentAs sent={sent} />}</GraphiQL.Footer>
    </GraphiQL>
  );
}

/** What the editor keeps, in `localStorage` and beside it: a browser without storage loses no query when the role changes. */
const kept = new Map<string, string>();
const storage = {
  getItem: (name: string) => kept.get(name) ?? stored(() => localStorage.getItem(name)),
  setItem(name: string, value: string) {
    kept.set(name, value);
    stored(() => localStorage.setItem(name, value));
  },
  removeItem(name: string) {
    kept.delete(name);
    stored(() => localStorage.removeItem(name));
  },
  clear() {
    kept.clear();
    stored(() => localStorage.clear());
  },
  get length() {
    return stored(() => localStorage.length) ?? kept.size;
  },
};

function stored<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    // The browser forbids storage, or there is no more space.
    return null;
  }
}

/** Sends what the editor asks for: subscriptions by WebSocket, everything else by POST. An editor whose caller has ended gets no answer. */
function fetcherOf(caller: Caller, onSent: EditorProps["onSent"], onAnswer: EditorProps["onAnswer"]): Fetcher {
  const until = async <T,>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      if (caller.signal.aborted) return new Promise<T>(() => {});
      onSent(caller.sent());
      throw error;
    }
  };
  return async (parameters, options) => {
    const request: GraphqlRequest = parameters;
    if (parameters.operationName === "IntrospectionQuery") return (await until(() => graphql(caller, request))).answer as never;
    onSent(null);
    const operation = options?.documentAST && getOperationAST(options.documentAST, parameters.operationName ?? undefined);
    if (operation?.operation === "subscription") {
      onAnswer({ request, answer: null });
      const results = await until(() => caller.subscribe(parameters.query, parameters.operationName, parameters.variables as Record<string, unknown> | null));
      return resultsOf(results, () => onSent(caller.sent())) as never;
    }
    const answer = await until(() => graphql(caller, request));
    onSent(caller.sent());
    onAnswer({ request, answer });
    return answer.answer as never;
  };
}

/** Results with a note of each that arrives. */
function resultsOf<T>(results: AsyncIterableIterator<T>, onResult: () => void): AsyncIterableIterator<T> {
  return {
    async next() {
      const result = await results.next();
      if (!result.done) onResult();
      return result;
    },
    return: (value) => results.return!(value),
    throw: (error) => results.throw!(error),
    [Symbol.asyncIterator]() { return this; },
  };
}
