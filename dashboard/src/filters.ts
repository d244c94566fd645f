// Which requests a view has, as the gateway's filters.

import type { RightsRequestWorkflows_Bool_Exp as Filter } from "./generated/user";

export const VIEWS = ["open", "overdue", "week", "mine", "unassigned", "unverified", "closed", "all"] as const;
export type View = (typeof VIEWS)[number];

const OPEN: Filter = { state: { _neq: "closed" } };

/** The end of a day, so that a filter is the same all day long. */
function endOfDay(days: number): string {
  const end = new Date();
  end.setHours(23, 59, 59, 0);
  end.setDate(end.getDate() + days);
  return end.toISOString();
}

const FILTERS: Record<View, (user: string) => Filter> = {
  open: () => OPEN,
  // The gateway says what is late, so that it is the same here and for the person.
  overdue: () => ({ ...OPEN, isOverdue: { _eq: true } }),
  week: () => ({ ...OPEN, isOverdue: { _eq: false }, dueAt: { _lte: endOfDay(7) } }),
  mine: (user) => ({ ...OPEN, assignedTo: { _eq: user } }),
  unassigned: () => ({ ...OPEN, assignedTo: { _is_null: true } }),
  unverified: () => ({ ...OPEN, request: { verified: { _eq: false } } }),
  closed: () => ({ state: { _eq: "closed" } }),
  all: () => ({}),
};

export interface RequestFilters {
  type?: string;
  assignee?: string;
  search?: string;
}

/** The filter of a view of a controller's requests, with what was chosen and searched beside it. */
export function viewFilter(view: View, controller: string, user: string, { type, assignee, search }: RequestFilters = {}): Filter {
  const all: Filter[] = [{ dataSubject: { dataControllerId: { _eq: controller } } }, FILTERS[view](user)];
  if (type) all.push({ request: { requestType: { _eq: type } } });
  if (assignee) all.push({ assignedTo: assignee === "nobody" ? { _is_null: true } : { _eq: assignee } });
  if (search) all.push({ dataSubject: { _or: [{ displayName: { _ilike: pattern(search) } }, { email: { _ilike: pattern(search) } }] } });
  return { _and: all };
}

/** A pattern that finds a text anywhere; its signs of patterns stand for themselves. */
export const pattern = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
