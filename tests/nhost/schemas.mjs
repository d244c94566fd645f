// What Nhost's client has of hasura-auth's OpenAPI description, from which it is generated: node schemas.mjs. Writes to standard
// output `{"operations": {operationId: {method, path, request, response}}, "schemas": {name: JSON Schema}}`. Requests and
// responses are JSON Schemas; null where there is no body.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { createAPIClient } from "@nhost/nhost-js/auth";

const ts = createRequire(new URL("../codegen/package.json", import.meta.url))("typescript");
const file = fileURLToPath(new URL("node_modules/@nhost/nhost-js/dist/src/auth/client.d.ts", import.meta.url));
const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);

/** What the comment of a member says of a text: `Pattern - ^mfaTotp:.*$`. */
function constraints(member) {
  const comment = member.getFullText().slice(0, member.getStart() - member.getFullStart());
  const found = {};
  for (const [, name, value] of comment.matchAll(/^\s*\*\s+(Format|Pattern|MinLength|MaxLength) - (.*)$/gm)) {
    if (name === "Format") found.format = value;
    if (name === "Pattern") found.pattern = value;
    if (name === "MinLength") found.minLength = Number(value);
    if (name === "MaxLength") found.maxLength = Number(value);
  }
  return found;
}

function schemaOf(type, constraints = {}) {
  switch (type.kind) {
    case ts.SyntaxKind.StringKeyword:
      return { type: "string", ...constraints };
    case ts.SyntaxKind.NumberKeyword:
      return { type: constraints.format === "int64" ? "integer" : "number" };
    case ts.SyntaxKind.BooleanKeyword:
      return { type: "boolean" };
    case ts.SyntaxKind.VoidKeyword:
      return null;
    case ts.SyntaxKind.ArrayType:
      return { type: "array", items: schemaOf(type.elementType) };
    case ts.SyntaxKind.LiteralType:
      return { enum: [type.literal.text] };
    case ts.SyntaxKind.UnionType:
      return { enum: type.types.map((variant) => variant.literal.text) };
    case ts.SyntaxKind.TypeReference: {
      const name = type.typeName.getText();
      return name === "Record" ? { type: "object" } : { $ref: `#/components/schemas/${name}` };
    }
    default:
      throw new Error(`no schema for ${type.getText()}`);
  }
}

/** An interface allows no other members, as hasura-auth says of every object that it sends. */
function objectOf({ members }) {
  const properties = {};
  const required = [];
  for (const member of members) {
    const name = member.name.getText();
    properties[name] = schemaOf(member.type, constraints(member));
    if (!member.questionToken) required.push(name);
  }
  return { type: "object", properties, required, additionalProperties: false };
}

/** The method and the path that the client sends a request of an operation to; a parameter of the path is in braces. */
async function requestOf(operationId, parameters) {
  let sent = null;
  const intercept = () => async (url, { method }) => {
    sent = { method: method.toLowerCase(), path: url };
    return new Response('"OK"', { headers: { "Content-Type": "application/json" } });
  };
  const values = parameters.map(({ name }) => (name.getText() === "provider" ? "{provider}" : {}));
  await createAPIClient("/v1", [intercept])[operationId](...values);
  return sent;
}

const schemas = {};
const operations = {};
for (const statement of source.statements) {
  const name = statement.name?.getText();
  if (ts.isTypeAliasDeclaration(statement)) schemas[name] = schemaOf(statement.type);
  if (!ts.isInterfaceDeclaration(statement)) continue;
  if (name !== "Client") {
    schemas[name] = objectOf(statement);
    continue;
  }
  for (const method of statement.members.filter(ts.isMethodSignature)) {
    const operationId = method.name.getText();
    const body = method.parameters.find(({ name }) => name.getText() === "body");
    // `Promise<FetchResponse<T>>`; the others return an address, to open in a browser.
    const promised = method.type.typeArguments?.[0]?.typeArguments?.[0];
    if (promised) {
      const request = await requestOf(operationId, method.parameters);
      operations[operationId] = { ...request, request: body ? schemaOf(body.type) : null, response: schemaOf(promised) };
    }
  }
}
process.stdout.write(JSON.stringify({ operations, schemas }));
