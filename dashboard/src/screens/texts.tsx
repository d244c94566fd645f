// What the controller tells the public: notices, questions with answers, and purposes.

import type { Desk } from "../desk";
import { useDesk } from "../desk";
import { Page, Tabs } from "../parts/page";
import { t } from "../text";
import { Faq } from "./faq";
import { Notices } from "./notices";
import { Purposes } from "./purposes";

const TABS = { notices: Notices, faq: Faq, purposes: Purposes };

export function Texts({ query }: { query: Record<string, string> }) {
  const desk: Desk = useDesk();
  const tab = query.tab && Object.hasOwn(TABS, query.tab) ? (query.tab as keyof typeof TABS) : "notices";
  const Shown = TABS[tab];
  return (
    <Page title={t.texts.title} id="texts">
      <Tabs label={t.texts.title} path={[desk.controller, "texts"]} current={tab} tabs={(["notices", "faq", "purposes"] as const).map((one) => [one, t.texts.tabs[one]] as const)} />
      <Shown />
    </Page>
  );
}
