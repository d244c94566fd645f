// The screens that are loaded after the first ones.

export { Account } from "./account";
export { Audit } from "./audit";
export { Consents } from "./consents";
export { Integrations } from "./integrations";
export { People } from "./people";
export { Person } from "./person";
export { Team } from "./team";
export { Texts } from "./texts";
