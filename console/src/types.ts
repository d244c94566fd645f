// Types that several pages share.

import type * as api from "./api";
import type { Caller } from "./session";

/** What every page gets. */
export interface PageProps {
  caller: Caller;
}

/** A request that was answered. */
export interface Answered {
  request: api.GraphqlRequest;
  /** None for a subscription, whose answers come later. */
  answer: api.GraphqlAnswer | null;
}
