// Writes the types of the GraphQL documents: node generate.mjs FOLDER, where FOLDER has the schema of each role as `postern schema
// --role ROLE` prints it, in `user.graphql` and `me.graphql`. Each file of `src/documents` belongs to the role that it is named
// after, and becomes `src/generated/<role>.ts`: a document with the types of its variables and of its result for each operation.

import { codegen } from "@graphql-codegen/core";
import * as operationsPlugin from "@graphql-codegen/typescript-operations";
import { Kind, buildSchema, parse, print, stripIgnoredCharacters, validate, visit } from "graphql";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [schemas] = process.argv.slice(2);
const source = join(import.meta.dirname, "src");

/** What the columns' types are in JSON; every other type is text. */
const SCALARS = { bigint: "number", smallint: "number", float8: "number", numeric: "number", json: "unknown", jsonb: "unknown" };

/** The relations that filters and orders pass through; types of all others would be a hundred times as many. */
const RELATIONS = ["dataSubject", "request", "purpose"];

/** A schema without descriptions, and without the other relations in filters and orders. */
function slim(schema) {
  const isRelation = (field) => /_(bool_exp|order_by|aggregate_order_by|aggregate_bool_exp)$/.test(typeName(field.type)) && !/^_/.test(field.name.value);
  return visit(schema, {
    enter: (node) => ("description" in node && node.description ? { ...node, description: undefined } : undefined),
    InputObjectTypeDefinition: {
      leave: (node) => ({ ...node, fields: node.fields.filter((field) => !isRelation(field) || RELATIONS.includes(field.name.value)) }),
    },
  });
}

function typeName(type) {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : typeName(type.type);
}

/** The fragments that a definition spreads, and those that these spread. */
function fragmentsOf(definition, document, found = new Set()) {
  visit(definition, {
    FragmentSpread: ({ name }) => {
      const fragment = document.definitions.find((other) => other.kind === Kind.FRAGMENT_DEFINITION && other.name.value === name.value);
      if (found.has(fragment)) return;
      found.add(fragment);
      fragmentsOf(fragment, document, found);
    },
  });
  return [...found];
}

for (const role of ["user", "me"]) {
  const schema = readFileSync(join(schemas, `${role}.graphql`), "utf8");
  const document = parse(readFileSync(join(source, "documents", `${role}.graphql`), "utf8"));
  const faults = validate(buildSchema(schema), document);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const types = await codegen({
    filename: `${role}.ts`,
    schema: slim(parse(schema)),
    documents: [{ location: `${role}.graphql`, document }],
    config: {
      scalars: SCALARS,
      defaultScalarType: "string",
      enumType: "string-literal",
      skipTypename: true,
      inlineFragmentTypes: "combine",
    },
    plugins: [{ operations: {} }],
    pluginMap: { operations: operationsPlugin },
  });
  const constants = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).map((operation) => {
    const name = operation.name.value;
    const type = `${name}${operation.operation[0].toUpperCase()}${operation.operation.slice(1)}`;
    const text = stripIgnoredCharacters([operation, ...fragmentsOf(operation, document)].map(print).join("\n"));
    return `export const ${name}: GraphqlDocument<${type}, ${type}Variables> = { role: "${role}", text: ${JSON.stringify(text)} };\n`;
  });
  const head = `// The documents of the role \`${role}\` with their types. Made by \`generate.mjs\`; do not edit.\n\nimport type { GraphqlDocument } from "../document";\n\n`;
  writeFileSync(join(source, "generated", `${role}.ts`), `${head}${types}\n${constants.join("\n")}`);
}
