// The members of the team, for whoever requests are given to.

import { useDesk } from "./desk";
import { Team } from "./generated/user";
import { useQuery } from "./hooks";

/** Those who may answer a request, by name. */
export function useAssignees(): { id: string; name: string }[] {
  const { controller } = useDesk();
  const team = useQuery(Team, { controller });
  return (team.data?.dataControllerUsers ?? [])
    .filter(({ status, role, user }) => status === "active" && role !== "Viewer" && user)
    .map(({ user }) => ({ id: user!.id, name: user!.displayName }))
    .sort((one, other) => one.name.localeCompare(other.name));
}
