// The workers of the editor, as files of the gateway.

import EditorWorker from "monaco-editor/esm/vs/editor/editor.worker.js?worker";
import JsonWorker from "monaco-editor/esm/vs/language/json/json.worker.js?worker";
import GraphqlWorker from "monaco-graphql/esm/graphql.worker.js?worker";

function getWorker(_: string, label: string): Worker {
  switch (label) {
    case "json": return new JsonWorker();
    case "graphql": return new GraphqlWorker();
    default: return new EditorWorker();
  }
}

Object.assign(globalThis, { MonacoEnvironment: { getWorker } });
