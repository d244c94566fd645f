// Composes the schema of a gateway with that of a service of reviews, asks both through Apollo's router, and prints the
// answers: `node router.mjs URL HEADERS`. Both packages are unchanged from npm.
import { composeServices } from '@apollo/composition';
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { parse } from 'graphql';

const [url, headers] = [process.argv[2], JSON.parse(process.argv[3])];

const ask = async (body) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
};

const { data } = await ask({ query: '{ _service { sdl } }' });
const reviews = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { topReviews: [Review!]! }
  type Review { stars: Int! user: users }
  type users @key(fields: "id") { id: Int! reviews: [Review!]! }
`;
const composed = composeServices([
  { name: 'postern', url, typeDefs: parse(data._service.sdl) },
  { name: 'reviews', url: 'http://reviews.invalid', typeDefs: parse(reviews) },
]);
if (composed.errors) {
  console.error(composed.errors.map((error) => error.message).join('\n'));
  process.exit(1);
}

// What the router asked the gateway.
const sent = [];

class Postern extends RemoteGraphQLDataSource {
  willSendRequest({ request }) {
    for (const [name, value] of Object.entries(headers)) request.http.headers.set(name, value);
    sent.push({ query: request.query.replace(/\s+/g, ' '), variables: request.variables });
  }
}

const stars = (id) => [{ __typename: 'Review', stars: Number(id) % 5 }];
const serviceOfReviews = {
  process({ request }) {
    const keys = request.variables?.representations;
    if (keys) return { data: { _entities: keys.map(({ id }) => ({ __typename: 'users', reviews: stars(id) })) } };
    const user = (id) => ({ __typename: 'users', id });
    return { data: { topReviews: [9, 1, 4, 404, 1].map((id) => ({ __typename: 'Review', stars: id % 5, user: user(id) })) } };
  },
};

const gateway = new ApolloGateway({
  supergraphSdl: composed.supergraphSdl,
  buildService: ({ name }) => (name === 'postern' ? new Postern({ url }) : serviceOfReviews),
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
});
const { schema, executor } = await gateway.load();

const run = async (query) => {
  const request = { query, variables: {} };
  const answer = await executor({
    document: parse(query), request, schema, context: {}, queryHash: query, metrics: {}, logger: console,
    cache: { async get() {}, async set() {}, async delete() {} },
  });
  return { data: answer.data, errors: answer.errors?.map((error) => error.message) };
};

const throughReviews = await run('{ topReviews { stars user { id email } } }');
const throughRows = await run('{ users(where: {id: {_lte: 3}}, order_by: {id: asc}) { id reviews { stars } } }');
console.log(JSON.stringify({ throughReviews, throughRows, sent }));
await gateway.stop();
