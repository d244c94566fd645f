// What every screen of a team knows: who looks, at which controller, and what the level allows. The level only decides what is
// shown; the gateway's rules decide what works.

import { createContext, useContext } from "react";
import type { MembershipsQuery } from "./generated/me";
import type { SignedInUser } from "./session";

export type Level = "Viewer" | "Editor" | "Administrator";
export type Membership = MembershipsQuery["dataControllerUsers"][number];

export interface Desk {
  user: SignedInUser;
  controller: string;
  controllerTitle: string;
  level: Level;
  /** Answers requests, keeps people and texts. */
  canEdit: boolean;
  /** Looks after the team and the integrations. */
  canAdminister: boolean;
}

export const DeskContext = createContext<Desk | null>(null);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error("there is no desk around this screen");
  return desk;
}
