// The team: who is in it, at which level, and invitations by mail.

import { useState } from "react";
import { announce } from "../announce";
import { change } from "../api";
import { useDesk, type Level } from "../desk";
import { date } from "../format";
import { InviteMember, Invitations, RemoveMember, SetMember, Team as TeamQuery, type InvitationsQuery, type TeamQuery as Loaded } from "../generated/user";
import { useAction, useQuery } from "../hooks";
import { Act, Choice, Confirmed, Dialog, Field, Form } from "../parts/form";
import { Page } from "../parts/page";
import { Badge, Content, ErrorNote } from "../parts/states";
import { CsvButton, Table, type Column } from "../parts/table";
import { language, t } from "../text";

type Member = Loaded["dataControllerUsers"][number];
type Sent = InvitationsQuery["teamInvitations"][number];

const LEVELS: Level[] = ["Viewer", "Editor", "Administrator"];
const levelNames = () => LEVELS.map((level) => [level, t.levels[level]] as const);
const STATE_KINDS = { active: "good", invited: "info", suspended: "warn" } as const;

export function Team() {
  const { controller, user, canAdminister } = useDesk();
  const team = useQuery(TeamQuery, { controller });
  const invitations = useQuery(Invitations, canAdminister ? { controller } : null);
  const [isOpen, setOpen] = useState(false);
  const sent = new Map(invitations.data?.teamInvitations.map((one) => [one.dataControllerUserId, one]));
  const reload = () => {
    team.reload();
    invitations.reload();
    announce(t.team.changed);
  };
  const nameOf = (row: Member) => row.user?.displayName ?? sent.get(row.id)?.displayName ?? sent.get(row.id)?.email ?? (row.status === "invited" ? t.team.invitedPerson : t.team.suspendedPerson);
  const columns: Column<Member>[] = [
    { title: t.team.name, isHead: true, csv: nameOf, cell: (row) => <>{nameOf(row)} {row.userId === user.id && <small>({t.team.you})</small>}</> },
    { title: t.team.email, csv: (row) => row.user?.email ?? sent.get(row.id)?.email ?? "", cell: (row) => <span className="cut">{row.user?.email ?? sent.get(row.id)?.email ?? t.none}</span> },
    {
      title: t.team.level, csv: ({ role }) => t.levels[role as Level],
      cell: (row) => (canAdminister && row.status !== "invited" ? <LevelOf member={row} name={nameOf(row)} onDone={reload} /> : t.levels[row.role as Level]),
    },
    {
      title: t.team.state, csv: ({ status }) => t.team.states[status] ?? status,
      cell: (row) => <><Badge kind={STATE_KINDS[row.status as "active"]}>{t.team.states[row.status]}</Badge>{sent.get(row.id)?.sentAt && <small> {t.team.sent(date(sent.get(row.id)!.sentAt), sent.get(row.id)!.sentCount)}</small>}</>,
    },
    { title: t.team.lastSeen, csv: (row) => row.user?.lastSeenAt ?? "", cell: (row) => (row.user?.lastSeenAt ? date(row.user.lastSeenAt) : t.none) },
    { title: t.team.since, csv: ({ createdAt }) => createdAt, cell: ({ createdAt }) => date(createdAt) },
  ];
  if (canAdminister) columns.push({ title: t.actions, className: "actions", cell: (row) => <Actions row={row} name={nameOf(row)} invitation={sent.get(row.id)} isOwn={row.userId === user.id} onDone={reload} /> });
  return (
    <Page title={t.team.title} id="team" actions={<>
      <CsvButton name="team" columns={columns} rows={team.data?.dataControllerUsers ?? []} />
      {canAdminister && <button className="primary" onClick={() => setOpen(true)}>{t.team.invite}</button>}
    </>}>
      <Content of={team}>{({ dataControllerUsers }) => <Table caption={t.team.title} columns={columns} rows={dataControllerUsers} />}</Content>
      <dl className="facts levels">{LEVELS.map((level) => <div key={level}><dt>{t.levels[level]}</dt><dd>{t.levelHints[level]}</dd></div>)}</dl>
      {isOpen && (
        <Dialog title={t.team.inviteTitle} onClose={() => setOpen(false)}>
          <Form submit={t.team.invite} onCancel={() => setOpen(false)} onDone={() => { setOpen(false); team.reload(); invitations.reload(); announce(t.team.invited); }}
            act={({ email, role, displayName, locale }) => change(InviteMember, { controller, email: email!, role: role!, displayName: displayName || null, locale })}>
            <p className="soft">{t.team.inviteHint}</p>
            <Field name="email" type="email" label={t.team.email} required autoFocus autoComplete="off" maxLength={254} />
            <Field name="displayName" label={t.team.name} maxLength={32} autoComplete="off" />
            <Choice name="role" label={t.team.level} defaultValue="Viewer" options={levelNames()} />
            <Choice name="locale" label={t.team.language} defaultValue={language} options={Object.entries(t.locales)} />
          </Form>
        </Dialog>
      )}
    </Page>
  );
}

function LevelOf({ member, name, onDone }: { member: Member; name: string; onDone: () => void }) {
  const set = useAction((role: string) => change(SetMember, { id: member.id, set: { role } }));
  return (
    <>
      <select aria-label={t.team.changeLevel(name)} value={member.role} disabled={set.isBusy} onChange={(event) => void set.run(event.target.value).then((done) => done && onDone())}>
        {levelNames().map(([level, label]) => <option key={level} value={level}>{label}</option>)}
      </select>
      <ErrorNote refusal={set.refusal} />
    </>
  );
}

function Actions({ row, name, invitation, isOwn, onDone }: { row: Member; name: string; invitation?: Sent; isOwn: boolean; onDone: () => void }) {
  const { controller, controllerTitle } = useDesk();
  const remove = () => change(RemoveMember, { id: row.id });
  if (row.status === "invited") {
    return (
      <div className="buttons">
        {invitation && <Act label={t.team.resend} describe={name} act={() => change(InviteMember, { controller, email: invitation.email, role: invitation.membership?.role ?? row.role, locale: invitation.locale, displayName: invitation.displayName })} onDone={onDone} />}
        <Confirmed label={t.team.withdraw} describe={name} question={t.team.withdrawConfirm} act={remove} onDone={onDone} />
      </div>
    );
  }
  return (
    <div className="buttons">
      {row.status === "active" && !isOwn && <Confirmed label={t.team.suspend} describe={name} question={t.team.suspendConfirm(name)} act={() => change(SetMember, { id: row.id, set: { status: "suspended" } })} onDone={onDone} />}
      {row.status === "suspended" && <Act label={t.team.resume} describe={name} act={() => change(SetMember, { id: row.id, set: { status: "active" } })} onDone={onDone} />}
      <Confirmed label={isOwn ? t.team.leave : t.remove} describe={name} question={isOwn ? t.team.leaveConfirm(controllerTitle) : t.team.removeConfirm(name)} act={remove} onDone={isOwn ? () => location.reload() : onDone} />
    </div>
  );
}
