// Changes valid ceremonies of WebAuthn in 500 ways and prints what SimpleWebAuthn's server says, one
// case a line: {mutation, kind, challenge, credential, key, verdict}. All but the RSA keys and the
// ECDSA signatures follows from a seed: `node mutations.mjs 500 1`.

import { createECDH, createHash, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";

const RP_ID = "example.com";
const ORIGIN = "https://app.example.com";
const [COUNT, SEED] = [Number(process.argv[2] ?? 500), Number(process.argv[3] ?? 1)];
const [UP, UV, BE, BS, AT, ED] = [1, 4, 8, 16, 64, 128];

// mulberry32, a generator of 32 bits of state.
let state = SEED;
function random(limit) {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % limit;
}
const choose = (list) => list[random(list.length)];
const randomBytes = (length) => Buffer.from(Array.from({ length }, () => random(256)));

const text = (bytes) => Buffer.from(bytes).toString("base64url");
const bytes = (value) => Buffer.from(value, "base64url");
const sha256 = (value) => createHash("sha256").update(value).digest();

// CBOR, as far as it is needed.
function head(major, length) {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
function cbor(value) {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

// Keys with their COSE form and their way to sign.
function es256() {
  const scalar = randomBytes(32);
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(scalar);
  const [x, y] = [curve.getPublicKey().subarray(1, 33), curve.getPublicKey().subarray(33)];
  const jwk = { kty: "EC", crv: "P-256", d: text(scalar), x: text(x), y: text(y) };
  const privateKey = createPrivateKey({ key: jwk, format: "jwk" });
  const cose = new Map([[1, 2], [3, -7], [-1, 1], [-2, x], [-3, y]]);
  return { alg: -7, cose, sign: (data) => sign("sha256", data, privateKey) };
}
function ed25519() {
  const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
  const der = Buffer.concat([prefix, randomBytes(32)]);
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const { x } = privateKey.export({ format: "jwk" });
  const cose = new Map([[1, 1], [3, -8], [-1, 6], [-2, bytes(x)]]);
  return { alg: -8, cose, sign: (data) => sign(null, data, privateKey) };
}
function rs256() {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { n, e } = publicKey.export({ format: "jwk" });
  const cose = new Map([[1, 3], [3, -257], [-1, bytes(n)], [-2, bytes(e)]]);
  return { alg: -257, cose, sign: (data) => sign("sha256", data, privateKey) };
}
const keys = [es256(), ed25519(), rs256()];
const others = [es256(), ed25519(), rs256()];
const id = randomBytes(20);

// A ceremony before it is signed. `parts` may be changed, and then `send` signs and packs them.
function begin(kind, key) {
  const challenge = text(randomBytes(32));
  const clientData = {
    type: kind === "create" ? "webauthn.create" : "webauthn.get",
    challenge,
    origin: ORIGIN,
    crossOrigin: false,
    other_keys_can_be_added_here: "do not compare clientDataJSON against a template",
  };
  const parts = {
    clientData,
    rpId: RP_ID,
    flags: UP | UV,
    signCount: 7,
    aaguid: randomBytes(16),
    id,
    cose: key.cose,
    rest: Buffer.alloc(0),
    format: choose(["none", "none", "none", "packed"]),
  };
  const stored = { publicKey: cbor(key.cose), signCount: 6, isBackupEligible: false };
  return { kind, key, challenge, parts, stored };
}

function send({ kind, key, challenge, parts, stored }) {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(parts.signCount);
  const attested = [parts.aaguid, Buffer.from([parts.id.length >> 8, parts.id.length & 255]), parts.id];
  const flags = kind === "create" ? parts.flags | AT : parts.flags;
  const data = Buffer.concat([
    sha256(parts.rpId),
    Buffer.from([flags]),
    count,
    ...(kind === "create" ? [...attested, cbor(parts.cose)] : []),
    parts.rest,
  ]);
  const clientDataJSON = Buffer.from(JSON.stringify(parts.clientData));
  const signature = key.sign(Buffer.concat([data, sha256(clientDataJSON)]));
  const credential = {
    id: text(id),
    rawId: text(id),
    type: "public-key",
    clientExtensionResults: {},
    response: { clientDataJSON: text(clientDataJSON) },
  };
  if (kind === "create") {
    const isSelf = parts.format === "packed";
    const statement = isSelf ? new Map([["alg", key.alg], ["sig", signature]]) : new Map();
    const object = new Map([["fmt", parts.format], ["attStmt", statement], ["authData", data]]);
    credential.response.attestationObject = text(cbor(object));
    credential.response.transports = ["internal"];
    return { kind, challenge, credential, key: null };
  }
  credential.response.authenticatorData = text(data);
  credential.response.signature = text(signature);
  const row = { credentialId: text(id), ...stored, publicKey: text(stored.publicKey) };
  return { kind, challenge, credential, key: row };
}

// Changes before signing: nothing but the change is wrong.
const BEFORE = {
  nothing: () => {},
  origin: ({ parts }) => {
    parts.clientData.origin = choose([
      "https://example.com",
      "https://www.app.example.com",
      "https://app.example.com:8443",
      "https://app.example.com/",
      "http://app.example.com",
      "https://app.example.com.evil.example",
      "",
    ]);
  },
  crossOrigin: ({ parts }) => {
    parts.clientData.crossOrigin = choose([true, "true", null, 0]);
  },
  topOrigin: ({ parts }) => {
    parts.clientData.crossOrigin = choose([true, false]);
    parts.clientData.topOrigin = choose([ORIGIN, "https://evil.example", ""]);
  },
  type: ({ parts }) => {
    parts.clientData.type = choose(["webauthn.get", "webauthn.create", "payment.get", ""]);
  },
  challenge: ({ parts }) => {
    const challenge = parts.clientData.challenge;
    parts.clientData.challenge = choose([
      text(randomBytes(32)),
      challenge.slice(0, 40),
      `${challenge}A`,
      `${challenge}=`,
      "",
      1,
    ]);
  },
  tokenBinding: ({ parts }) => {
    parts.clientData.tokenBinding = choose(["x", { status: "supported" }, { status: "x" }, {}]);
  },
  rpId: ({ parts }) => {
    parts.rpId = choose(["app.example.com", "example.org", ""]);
  },
  flags: ({ parts }) => {
    parts.flags = random(256) & ~(AT | ED);
  },
  backup: ({ parts, stored }) => {
    stored.isBackupEligible = choose([true, false]);
    parts.flags = UP | choose([0, BE, BS, BE | BS]);
  },
  counter: ({ parts, stored }) => {
    stored.isBackupEligible = choose([true, false]);
    stored.signCount = choose([0, 1, 6, 7, 8, 4294967295]);
    parts.signCount = choose([0, 1, 7, 4294967295]);
    parts.flags |= BE;
  },
  extensions: ({ parts }) => {
    parts.flags |= choose([0, ED]);
    parts.rest = choose([
      cbor(new Map([["credProtect", 2]])),
      cbor(new Map([["hmac-secret", Buffer.alloc(32)]])),
      cbor(new Map()),
      cbor([1]),
      Buffer.from([0xbf, 0xff]),
      Buffer.from([0xbb, 255, 255, 255, 255, 255, 255, 255, 255]),
      Buffer.alloc(0),
      randomBytes(8),
    ]);
  },
  credentialId: ({ parts }) => {
    parts.id = choose([randomBytes(20), randomBytes(64), Buffer.alloc(0), randomBytes(1024)]);
  },
  publicKey: ({ parts, stored }) => {
    const cose = new Map(parts.cose);
    const label = choose([...cose.keys()]);
    const value = cose.get(label);
    const change = choose(["remove", "change", "add"]);
    if (change === "remove") cose.delete(label);
    if (change === "add") cose.set(choose([2, 4, -4, -70000, "x"]), 1);
    if (change === "change" && typeof value === "number") cose.set(label, choose([value + 1, -35, 5, 0]));
    if (change === "change" && typeof value !== "number") {
      const edited = Buffer.from(value);
      edited[random(edited.length)] ^= 1 << random(8);
      cose.set(label, choose([edited, value.subarray(1), Buffer.concat([value, value]), "x"]));
    }
    parts.cose = cose;
    stored.publicKey = cbor(cose);
  },
  otherKey: ({ key, parts, stored }) => {
    const other = choose([...others, ...keys.filter((known) => known !== key)]);
    parts.cose = other.cose;
    stored.publicKey = cbor(other.cose);
  },
};

const PARTS = {
  create: ["clientDataJSON", "attestationObject", "attestationObject"],
  get: ["clientDataJSON", "authenticatorData", "signature"],
};
function edit(message, change) {
  const part = choose(PARTS[message.kind]);
  const value = bytes(message.credential.response[part]);
  message.credential.response[part] = text(change(value));
  return part;
}

// Changes after signing, of what the browser sends.
const AFTER = {
  flip: (message) =>
    edit(message, (value) => {
      value[random(value.length)] ^= 1 << random(8);
      return value;
    }),
  replace: (message) =>
    edit(message, (value) => {
      value[random(value.length)] = random(256);
      return value;
    }),
  truncate: (message) => edit(message, (value) => value.subarray(0, random(value.length))),
  cutOne: (message) => edit(message, (value) => value.subarray(0, -1)),
  append: (message) => edit(message, (value) => Buffer.concat([value, randomBytes(1 + random(4))])),
  prepend: (message) => edit(message, (value) => Buffer.concat([randomBytes(1), value])),
  remove: (message) =>
    edit(message, (value) => {
      const index = random(value.length);
      return Buffer.concat([value.subarray(0, index), value.subarray(index + 1)]);
    }),
  insert: (message) =>
    edit(message, (value) => {
      const index = random(value.length);
      return Buffer.concat([value.subarray(0, index), randomBytes(1), value.subarray(index)]);
    }),
  text: (message) => {
    const part = choose(PARTS[message.kind]);
    const value = message.credential.response[part];
    const change = choose(["=", "!", " ", "", null, 1, "missing"]);
    if (change === "missing") delete message.credential.response[part];
    else if (typeof change === "string" && change) message.credential.response[part] = value + change;
    else message.credential.response[part] = change;
    return `${part} ${change}`;
  },
  swap: (message) => {
    const [first, second] = message.kind === "create"
      ? ["clientDataJSON", "attestationObject"]
      : choose([["clientDataJSON", "authenticatorData"], ["authenticatorData", "signature"]]);
    const { response } = message.credential;
    [response[first], response[second]] = [response[second], response[first]];
    return `${first} ${second}`;
  },
  replay: (message) => {
    const key = choose(keys);
    const former = send(begin(choose(["create", "get"]), key));
    const part = choose(PARTS[message.kind]);
    const value = former.credential.response[part];
    if (value) message.credential.response[part] = value;
    else message.credential = former.credential;
    return part;
  },
  member: (message) => {
    const member = choose(["id", "rawId", "type", "userHandle", "clientExtensionResults", "both"]);
    const value = choose([text(randomBytes(20)), `${text(id)}=`, "", null, 1, "x"]);
    if (member === "userHandle") message.credential.response.userHandle = value;
    else if (member === "both") message.credential.id = message.credential.rawId = value;
    else message.credential[member] = value;
    return `${member} ${value}`;
  },
};

async function verdict({ kind, challenge, credential, key }) {
  const expected = {
    response: credential,
    expectedChallenge: challenge,
    expectedOrigin: ORIGIN,
    expectedRPID: RP_ID,
    requireUserVerification: false,
  };
  try {
    if (kind === "create") {
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        ...expected,
        supportedAlgorithmIDs: [-7, -8, -257],
      });
      if (!verified) return { verified, error: null };
      const { credential, aaguid, userVerified, credentialBackedUp } = registrationInfo;
      const { credentialDeviceType } = registrationInfo;
      return {
        verified,
        credentialId: credential.id,
        publicKey: text(credential.publicKey),
        aaguid,
        signCount: credential.counter,
        isUserVerified: userVerified,
        isBackupEligible: credentialDeviceType === "multiDevice",
        isBackedUp: credentialBackedUp,
      };
    }
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expected,
      credential: {
        id: key.credentialId,
        publicKey: new Uint8Array(bytes(key.publicKey)),
        counter: key.signCount,
      },
    });
    if (!verified) return { verified, error: null };
    const { newCounter, userVerified, credentialBackedUp, credentialDeviceType } = authenticationInfo;
    return {
      verified,
      signCount: newCounter,
      isUserVerified: userVerified,
      isBackupEligible: credentialDeviceType === "multiDevice",
      isBackedUp: credentialBackedUp,
    };
  } catch (error) {
    return { verified: false, error: error.message };
  }
}

for (let index = 0; index < COUNT; index += 1) {
  const ceremony = begin(choose(["create", "get"]), choose(keys));
  const name = choose([...Object.keys(BEFORE), ...Object.keys(AFTER)]);
  BEFORE[name]?.(ceremony);
  const message = send(ceremony);
  const detail = AFTER[name]?.(message) ?? "";
  // What is sent is JSON: members that are undefined are not there.
  const sent = JSON.parse(JSON.stringify(message));
  const result = await verdict(structuredClone(sent));
  console.log(JSON.stringify({ mutation: `${name} ${detail}`.trim(), ...sent, verdict: result }));
}
