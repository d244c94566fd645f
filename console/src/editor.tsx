// GraphiQL with the gateway's sessions: requests and subscriptions of the chosen role, and its schema.

import { useMemo } from "react";
import { GraphiQL } from "graphiql";
import type { Fetcher } from "@graphiql/toolkit";
import { getOperationAST } from "graphql";
import { createClient } from "graphql-ws";
import { type Caller, type GraphqlAnswer, type GraphqlRequest, graphql, headersOf } from "./api";
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

export default function Editor({ caller, onAnswer }: { caller: Caller; onAnswer: (request: GraphqlRequest, answer: GraphqlAnswer | null) => void }) {
  // The editor asks for the schema again when it gets another fetcher.
  const fetcher = useMemo(() => fetcherOf(caller, onAnswer), [caller, onAnswer]);
  return (
    <GraphiQL fetcher={fetcher} defaultQuery={DEFAULT_QUERY} isHeadersEditorEnabled={false} shouldPersistHeaders={false}
      defaultEditorToolsVisibility={false} forcedTheme="system">
      <GraphiQL.Logo><span className="hidden">GraphiQL</span></GraphiQL.Logo>
    </GraphiQL>
  );
}

/** Sends what the editor asks for as a caller: subscriptions by WebSocket, everything else by POST. */
function fetcherOf(caller: Caller, onAnswer: (request: GraphqlRequest, answer: GraphqlAnswer | null) => void): Fetcher {
  const url = new URL("/v1/graphql", location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const sockets = createClient({ url: url.href, lazy: true, retryAttempts: 3, connectionParams: { headers: headersOf(caller) } });
  return async (parameters, options) => {
    const request: GraphqlRequest = parameters;
    const operation = options?.documentAST && getOperationAST(options.documentAST, parameters.operationName ?? undefined);
    if (operation?.operation === "subscription") {
      onAnswer(request, null);
      return sockets.iterate({ ...request, variables: parameters.variables }) as ReturnType<typeof sockets.iterate> & AsyncIterable<never>;
    }
    const answer = await graphql(caller, request);
    if (parameters.operationName !== "IntrospectionQuery") onAnswer(request, answer);
    return answer.answer as never;
  };
}
