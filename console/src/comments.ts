// How the editor shows comments of the database, which are Markdown: a link leads to http or https alone, in a page of its own, and names
// its host. There are no images, which would be requests. Characters that are not seen are shown as their code points.

import { markdown } from "@graphiql/react";
import { visible } from "./visible";

markdown.disable("image");
markdown.core.ruler.before("normalize", "visible", (state) => { state.src = visible(state.src); });
markdown.validateLink = (address) => /^https?:\/\//i.test(address);

markdown.renderer.rules.link_open = (tokens, index, options, _, renderer) => {
  const token = tokens[index]!;
  token.attrSet("target", "_blank");
  token.attrSet("rel", "noopener noreferrer");
  return renderer.renderToken(tokens, index, options);
};

markdown.renderer.rules.link_close = (tokens, index) => {
  const opened = tokens.slice(0, index).findLast(({ type }) => type === "link_open");
  const address = String(opened?.attrGet("href") ?? "");
  return `</a> (${markdown.utils.escapeHtml(URL.canParse(address) ? new URL(address).host : address)})`;
};
