// What the team sees first: what is overdue and due, the reminders of whoever looks, and figures.

import { useMemo } from "react";
import { change } from "../api";
import { useDesk } from "../desk";
import { date, day, daysUntil } from "../format";
import { LiveReminders, LiveRequests, ReadReminder, RequestCounts, RequestStatistics, type RequestStatisticsQuery } from "../generated/user";
import { useLive, useQuery } from "../hooks";
import { viewFilter } from "../filters";
import { Dots, StackedBars } from "../parts/chart";
import { Act } from "../parts/form";
import { Page, Section } from "../parts/page";
import { Content, Empty } from "../parts/states";
import { Due, LiveMark, personName } from "../parts/request-bits";
import { href } from "../route";
import { t } from "../text";

const DAY = 86_400_000;

export function Overview() {
  const { controller, user, canEdit } = useDesk();
  const view = (name: Parameters<typeof viewFilter>[0]) => viewFilter(name, controller, user.id);
  const next = useLive(LiveRequests, { where: view("open"), orderBy: [{ dueAt: "asc" }, { id: "asc" }], limit: 8, offset: 0 });
  return (
    <Page title={t.overview.title} id="overview" actions={<LiveMark isConnected={next.isConnected} />}>
      {!canEdit && <p className="note info">{t.readOnly}</p>}
      <Tiles sign={JSON.stringify(next.data)} />
      <div className="columns">
        <Section title={t.overview.next} actions={<a className="button" href={href([controller, "requests"])}>{t.overview.allRequests}</a>}>
          <Content of={next}>
            {({ rightsRequestWorkflows: rows }) => rows.length === 0 ? <Empty title={t.overview.empty} /> : (
              <ul className="list">
                {rows.map((row) => (
                  <li key={row.id} className={row.isOverdue ? "late" : undefined}>
                    <a href={href([controller, "requests", row.request!.id])}>
                      <span className="strong">{t.requestTypes[row.request!.requestType]}</span>
                      <span>{personName(row.dataSubject)}</span>
                    </a>
                    <span className="soft">{row.assignee?.displayName ?? t.requests.nobody}</span>
                    <Due row={row} />
                  </li>
                ))}
              </ul>
            )}
          </Content>
        </Section>
        <Reminders />
      </div>
      <Figures />
    </Page>
  );
}

/** The counts that a team acts upon. They are asked anew with each change of the live list. */
function Tiles({ sign }: { sign: string }) {
  const { controller, user } = useDesk();
  const today = new Date().toDateString();
  const variables = useMemo(() => {
    const names = ["overdue", "week", "mine", "unassigned", "unverified", "open"] as const;
    return Object.fromEntries(names.map((name) => [name, viewFilter(name, controller, user.id)])) as Record<(typeof names)[number], ReturnType<typeof viewFilter>>;
  }, [controller, user.id, today]);
  const counts = useQuery(RequestCounts, variables, sign);
  return (
    <ul className="tiles">
      {(["overdue", "week", "mine", "unassigned", "unverified", "open"] as const).map((name) => {
        const count = counts.data?.[name].aggregate?.count;
        return (
          <li key={name}>
            <a href={href([controller, "requests"], { view: name === "open" ? undefined : name })} className={name === "overdue" && count ? "late" : undefined}>
              <span className="figure">{count ?? " "}</span>
              <span>{t.overview[name]}</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function Reminders() {
  const { controller } = useDesk();
  const reminders = useLive(LiveReminders, { controller });
  const rows = reminders.data?.teamReminders;
  // No reminders are no reason for a card.
  if (rows && rows.length === 0) return null;
  return (
    <Section title={t.overview.reminders}>
      <Content of={reminders} lines={3}>
        {({ teamReminders }) => (
          <ul className="list">
            {teamReminders.map(({ id, kind, workflow, dataSubject }) => (
              <li key={id} className={kind === "overdue" ? "late" : undefined}>
                <a href={href([controller, "requests", workflow!.dataSubjectRightsRequestId])}>
                  <span className="strong">{t.overview.reminderKinds[kind]}</span>
                  <span>{personName(dataSubject)}</span>
                </a>
                <span className="soft">{date(workflow!.dueAt)}</span>
                <Act className="quiet" label={t.overview.read} describe={personName(dataSubject)} act={() => change(ReadReminder, { id })} />
              </li>
            ))}
          </ul>
        )}
      </Content>
    </Section>
  );
}

function Figures() {
  const { controller } = useDesk();
  // Midnight, so that the variables stay the same all day.
  const since = new Date(Math.floor(Date.now() / DAY) * DAY - 365 * DAY).toISOString();
  const statistics = useQuery(RequestStatistics, { controller, since });
  return (
    <Section title={t.overview.charts}>
      <Content of={statistics}>
        {(data) => (
          <div className="charts">
            <ByWeek groups={data.byWeek} />
            <Answers rows={data.answered} />
          </div>
        )}
      </Content>
    </Section>
  );
}

/** The states of the chart, with their colours. */
const STATES = [["open", ["submitted", "pending", "in_progress"], 2], ["completed", ["completed"], 1], ["rejected", ["rejected"], 4], ["withdrawn", ["withdrawn"], 3]] as const;

function ByWeek({ groups }: { groups: RequestStatisticsQuery["byWeek"] }) {
  const monday = Math.floor((Date.now() / DAY + 3) / 7) * 7 - 3;
  const weeks = Array.from({ length: 26 }, (_, index) => (monday - (25 - index) * 7) * DAY);
  const count = (week: number, states: readonly string[]) =>
    groups.filter(({ key }) => Math.abs(Date.parse(key.createdAt) - week) < DAY && states.includes(key.status)).reduce((sum, { aggregate }) => sum + aggregate.count, 0);
  const series = STATES.map(([name, states, color]) => ({ name: name === "open" ? t.requests.views.open : t.statuses[name]!, color, values: weeks.map((week) => count(week, states)) }));
  return <StackedBars title={t.overview.byWeek} hint={t.overview.byWeekHint} head={t.overview.week1} labels={weeks.map((week) => day(new Date(week).toISOString()))} series={series} />;
}

function Answers({ rows }: { rows: RequestStatisticsQuery["answered"] }) {
  if (rows.length === 0) return <Empty title={t.overview.noFigures} />;
  const dots = rows.map(({ createdAt, closedAt, workflow }) => ({
    label: date(closedAt),
    value: Math.max(0, daysUntil(closedAt!, new Date(createdAt))),
    isBad: workflow !== null && Date.parse(closedAt!) > Date.parse(workflow.dueAt),
  }));
  const marks = [...new Set([0, Math.floor((rows.length - 1) / 2), rows.length - 1])];
  return (
    <div>
      <Dots
        title={t.overview.answers} hint={t.overview.answersHint} heads={[t.overview.closed, t.overview.daysTaken, t.requests.status]} dots={dots}
        line={{ value: 30, name: t.overview.month }} names={{ good: t.overview.inTime, bad: t.overview.late }}
        labels={marks.map((at) => ({ at, text: day(rows[at]!.closedAt!) }))}
      />
      <p className="soft">{t.overview.answered(rows.length, dots.filter(({ isBad }) => isBad).length)}</p>
    </div>
  );
}
