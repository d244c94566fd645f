// PostGraphile 5 as its documentation sets it up for production: the Amber preset over plain node http, `NODE_ENV=production`,
// the token verified in `grafast.context`. Arguments: the URL of the database, the port, the key of the tokens, the size of the pool.

import { createServer } from "node:http";
import jwt from "jsonwebtoken";
import { Pool } from "pg";
import { postgraphile } from "postgraphile";
import { grafserv } from "postgraphile/grafserv/node";
import { makePgService } from "postgraphile/adaptors/pg";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { PostGraphileConnectionFilterPreset } from "postgraphile-plugin-connection-filter";

const [url, port, secret, pool] = process.argv.slice(2);

// As the other peers do, it remembers what it has verified. A reader's settings are left as they are, which spares the
// statements of a transaction; a user's set the role that the policies in policies.sql are about.
const verified = new Map();
function settings(authorization) {
  const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
  if (!token) throw Object.assign(new Error("No authorization header provided"), { statusCode: 401 });
  const known = verified.get(token);
  if (known && known.exp * 1000 > Date.now()) return known.settings;
  const { exp, gateway } = jwt.verify(token, secret, { algorithms: ["HS256"] });
  const isUser = gateway["x-gateway-default-role"] === "user";
  const found = isUser ? { role: "bench_user", "jwt.claims.user_id": gateway["x-gateway-user-id"] } : null;
  verified.set(token, { exp, settings: found });
  return found;
}

const preset = {
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  // Otherwise only columns that an index begins with can be filtered and sorted by.
  disablePlugins: ["PgIndexBehaviorsPlugin"],
  // Plain lists, as the works ask for; connections are kept for their `totalCount`.
  schema: { defaultBehavior: "+list", connectionFilterRelations: true },
  pgServices: [makePgService({ pool: new Pool({ connectionString: url, max: Number(pool) }), schemas: ["public"] })],
  grafast: { context: (request) => ({ pgSettings: settings(request.node?.req.headers.authorization) }) },
  grafserv: { graphqlPath: "/graphql", graphiql: false, websockets: false },
};

const server = createServer();
await postgraphile(preset).createServ(grafserv).addTo(server);
server.listen(Number(port), "127.0.0.1");
