// Generates types of a gateway's schema with graphql-codegen and gql.tada, and prints what is `any` or `unknown` in them:
//
//   node types.mjs URL HEADERS
//
// HEADERS is a JSON object. Prints one JSON object, {"codegen": […], "tada": […], "fields": 120, "lists": […], "enums": […]}: the
// findings of both, how many fields the document selects, and the columns that are lists and enums.

import { codegen } from "@graphql-codegen/core";
import * as operationsPlugin from "@graphql-codegen/typescript-operations";
import * as typescriptPlugin from "@graphql-codegen/typescript";
import { minifyIntrospection, outputIntrospectionFile } from "@gql.tada/internal";
import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  isEnumType,
  isLeafType,
  isListType,
  getNullableType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  parse,
  printSchema,
  validate,
} from "graphql";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const [url, headers] = process.argv.slice(2);
const folder = fileURLToPath(new URL(".", import.meta.url));
const scalars = JSON.parse(readFileSync(join(folder, "scalars.json"), "utf8"));
const JSON_VALUE = "export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };";

const response = await fetch(`${url}/v1/graphql`, {
  method: "POST",
  headers: { "content-type": "application/json", ...JSON.parse(headers) },
  body: JSON.stringify({ query: getIntrospectionQuery() }),
});
const { data, errors } = await response.json();
if (errors) throw new Error(JSON.stringify(errors));
const schema = buildClientSchema(data);

// A query for each root field: its leaves.
const found = { fields: 0, lists: [], enums: [] };
function leaves(type, depth) {
  const selected = [];
  for (const field of Object.values(type.getFields())) {
    if (field.args.some(isRequiredArgument)) continue;
    const named = getNamedType(field.type);
    if (isLeafType(named)) {
      found.fields += 1;
      if (isListType(getNullableType(field.type))) found.lists.push(`${type.name}.${field.name}: ${field.type}`);
      if (isEnumType(named)) found.enums.push(`${type.name}.${field.name}: ${field.type}`);
      selected.push(field.name);
    } else if (isObjectType(named) && depth > 0) {
      const inner = leaves(named, depth - 1);
      if (inner.length > 0) selected.push(`${field.name} { ${inner.join(" ")} }`);
    }
  }
  return selected;
}
const queries = leaves(schema.getQueryType(), 1).map((root, number) => `query Q${number} { ${root} }`);
const invalid = queries.flatMap((query) => validate(schema, parse(query)));
if (invalid.length > 0) throw new Error(invalid.join("\n"));

// A mutation with variables, if the role has one that inserts.
const insert = Object.values(schema.getMutationType()?.getFields() ?? {}).find((field) => /insert/i.test(field.name));
const objects = insert?.args.find((argument) => argument.name === "objects");
const mutation = objects
  ? `mutation Add($objects: ${objects.type}) { ${insert.name}(objects: $objects) { affected_rows } }`
  : "";

async function withCodegen() {
  const documents = [...queries, mutation].filter(Boolean).map((text, number) => ({ location: `${number}.graphql`, document: parse(text) }));
  const mapped = Object.fromEntries(
    Object.entries(scalars).filter(([name]) => schema.getType(name)).map(([name, type]) => [name, type]),
  );
  const output = await codegen({
    filename: "types.ts",
    schema: parse(printSchema(schema)),
    schemaAst: schema,
    documents,
    config: { scalars: mapped, strictScalars: true, enumsAsTypes: true },
    plugins: [{ typescript: {} }, { operations: {} }],
    pluginMap: { typescript: typescriptPlugin, operations: operationsPlugin },
  });
  const lines = output.split("\n").filter((line) => !/^\s*(\/\*|\*|\/\/)/.test(line));
  // `Exact` and the like are helpers of the generator, not types of the schema.
  return lines.filter((line) => /:\s*(any|unknown)\b|<(any|unknown)>|\b(any|unknown)\[\]/.test(line) && !/^(export )?type (Exact|Make|Incremental|Maybe|InputMaybe)/.test(line));
}

function withTada() {
  const place = mkdtempSync(join(folder, ".types-"));
  try {
    const introspection = outputIntrospectionFile(minifyIntrospection(data), { fileType: ".d.ts", shouldPreprocess: false });
    writeFileSync(join(place, "introspection.d.ts"), introspection);
    const map = Object.entries(scalars).map(([name, type]) => `${name}: ${type};`).join("\n    ");
    writeFileSync(
      join(place, "index.ts"),
      `import { initGraphQLTada, type ResultOf, type VariablesOf } from "gql.tada";
import type { introspection } from "./introspection.d.ts";
${JSON_VALUE}
const graphql = initGraphQLTada<{ introspection: introspection; scalars: {
    ${map}
} }>();
type IsUnknown<T> = unknown extends T ? true : false;
// Input types refer to each other without end, so the depth is limited.
type HasUnknown<T, Depth extends 0[] = []> = Depth["length"] extends 5 ? false
  : IsUnknown<T> extends true ? true
  : [JsonValue] extends [T] ? false
  : T extends readonly (infer Item)[] ? HasUnknown<Item, Depth>
  : T extends string | number | boolean | null | undefined ? false
  : T extends object ? { [Key in keyof T]: HasUnknown<T[Key], [...Depth, 0]> }[keyof T] : false;
${queries
  .map(
    (query, number) => `const q${number} = graphql(${JSON.stringify(query)});
export const c${number}: [true] extends [HasUnknown<ResultOf<typeof q${number}>>] ? "unknown" : [false] = [false];`,
  )
  .join("\n")}
${mutation ? `const add = graphql(${JSON.stringify(mutation)});
// The columns of a row; its relations lead to every other input type.
type Row = NonNullable<VariablesOf<typeof add>["objects"]>[number];
type Columns = { [Key in keyof Row as NonNullable<Row[Key]> extends { data: any } ? never : Key]: Row[Key] };
const variables: [true] extends [HasUnknown<Columns>] ? "unknown" : [false] = [false];
export { variables };` : ""}
`,
    );
    const options = {
      strict: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext, allowImportingTsExtensions: true, types: [],
    };
    const program = ts.createProgram([join(place, "index.ts")], options);
    return ts.getPreEmitDiagnostics(program).map((problem) => ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
  } finally {
    rmSync(place, { recursive: true });
  }
}

const findings = { codegen: await withCodegen(), tada: withTada(), ...found };
process.stdout.write(`${JSON.stringify(findings)}\n`, () => process.exit(0));
