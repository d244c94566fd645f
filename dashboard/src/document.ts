// A GraphQL document as `generate.mjs` writes it: its text, the role that asks, and the types of what goes in and comes out.

/** The roles that the dashboard asks as: a member of teams, and the account that signed in. */
export type Role = "user" | "me";

export interface GraphqlDocument<Result, Variables> {
  role: Role;
  text: string;
  /** Never set: it lets TypeScript find `Result` and `Variables` from a document. */
  types?: (variables: Variables) => Result;
}
