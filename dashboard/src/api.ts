// GraphQL over HTTP, with the types of the document. `live.ts` has subscriptions.

import type { GraphqlDocument } from "./document";
import { Refusal } from "./gateway";
import { sendSignedIn } from "./session";

/** Answers a query or a mutation. */
export async function ask<Result, Variables>(document: GraphqlDocument<Result, Variables>, variables: Variables): Promise<Result> {
  const answer = await sendSignedIn("/v1/graphql", {
    headers: { "X-Gateway-Role": document.role },
    body: { query: document.text, variables },
  });
  return (answer as { data: Result }).data;
}

/**
 * Answers a mutation. A change that the rules do not allow finds no row, and so does one of a row that is gone: both are refusals
 * here, though the gateway answers them with null or with no rows.
 */
export async function change<Result extends object, Variables>(document: GraphqlDocument<Result, Variables>, variables: Variables): Promise<Result> {
  const result = await ask(document, variables);
  const [value] = Object.values(result) as ({ affected_rows?: number } | boolean | null)[];
  const hasChanged = typeof value === "object" && value !== null ? value.affected_rows !== 0 : value === true;
  if (!hasChanged) throw new Refusal("forbidden", "no-row", "");
  return result;
}
