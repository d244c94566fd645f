// The documents of the role `me` with their types. Made by `generate.mjs`; do not edit.

import type { GraphqlDocument } from "../document";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type MembershipsQueryVariables = Exact<{ [key: string]: never; }>;


export type MembershipsQuery = { dataControllerUsers: Array<{ id: string, dataControllerId: string, role: string, status: string, dataController: { title: string, language: string } | null, invitation: { inviterName: string | null } | null }> };

export type AccountQueryVariables = Exact<{
  id: string;
}>;


export type AccountQuery = { user: { id: string, email: string, displayName: string, locale: string } | null };

export type AcceptInvitationMutationVariables = Exact<{
  id: string;
}>;


export type AcceptInvitationMutation = { updateDataControllerUser: { id: string } | null };

export type LeaveTeamMutationVariables = Exact<{
  id: string;
}>;


export type LeaveTeamMutation = { deleteDataControllerUser: { id: string } | null };

export type RenameAccountMutationVariables = Exact<{
  id: string;
  displayName: string;
  locale: string;
}>;


export type RenameAccountMutation = { updateUser: { id: string, displayName: string, locale: string } | null };

export const Memberships: GraphqlDocument<MembershipsQuery, MembershipsQueryVariables> = { role: "me", text: "query Memberships{dataControllerUsers(orderBy:{createdAt:asc}){id dataControllerId role status dataController{title language}invitation{inviterName}}}" };

export const Account: GraphqlDocument<AccountQuery, AccountQueryVariables> = { role: "me", text: "query Account($id:uuid!){user(id:$id){id email displayName locale}}" };

export const AcceptInvitation: GraphqlDocument<AcceptInvitationMutation, AcceptInvitationMutationVariables> = { role: "me", text: "mutation AcceptInvitation($id:uuid!){updateDataControllerUser(pk_columns:{id:$id}_set:{status:\"active\"}){id}}" };

export const LeaveTeam: GraphqlDocument<LeaveTeamMutation, LeaveTeamMutationVariables> = { role: "me", text: "mutation LeaveTeam($id:uuid!){deleteDataControllerUser(id:$id){id}}" };

export const RenameAccount: GraphqlDocument<RenameAccountMutation, RenameAccountMutationVariables> = { role: "me", text: "mutation RenameAccount($id:uuid!$displayName:String!$locale:String!){updateUser(pk_columns:{id:$id}_set:{displayName:$displayName locale:$locale}){id displayName locale}}" };
