// An SMTP server that keeps what it gets: node sink.mjs [CERTIFICATE KEY PASSWORD]. With a certificate it speaks TLS from the
// first byte, and the user `postern` has to sign in with the password. Writes JSON lines to standard output: its port, each mail
// as a mail program reads it, and each recipient it has refused. Reads lines such as `451 ada@example.org` from standard input,
// answers this recipient so from then on (`250` accepts again), and repeats the line as `{"rule": …}`.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";

const [certificate, key, password] = process.argv.slice(2);
const rules = new Map();
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const security = certificate
  ? { secure: true, cert: readFileSync(certificate), key: readFileSync(key) }
  : { disabledCommands: ["STARTTLS", "AUTH"] };

const server = new SMTPServer({
  ...security,
  authOptional: !certificate,
  disableReverseLookup: true,
  onAuth({ username, password: given }, _, done) {
    if (username === "postern" && given === password) done(null, { user: username });
    else done(new Error("a wrong password"));
  },
  onRcptTo({ address }, _, done) {
    const status = rules.get(address);
    if (!status) return done();
    write({ refused: status, to: address });
    done(Object.assign(new Error("as the test wants it"), { responseCode: status }));
  },
  async onData(stream, { envelope }, done) {
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    // A part that the mail lacks is not made up from the other one.
    const { subject, text, html, headerLines } = await simpleParser(raw, { skipHtmlToText: true, skipTextToHtml: true });
    const headers = headerLines.map(({ line }) => line);
    const to = envelope.rcptTo.map(({ address }) => address);
    write({ to, from: envelope.mailFrom.address, subject, text, html, headers, raw: raw.toString("latin1") });
    done();
  },
});
server.on("error", (error) => process.stderr.write(`${error.message}\n`));
server.listen(0, "127.0.0.1", () => write({ port: server.server.address().port }));

const rulings = createInterface({ input: process.stdin });
// Without the test that has started it, it ends.
rulings.on("close", () => process.exit());
rulings.on("line", (rule) => {
  const [status, address] = rule.split(" ");
  if (status === "250") rules.delete(address);
  else rules.set(address, Number(status));
  write({ rule });
});
