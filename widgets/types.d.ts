// The shapes of what the widgets read, for the type checker alone: no page loads this file.

type Client = import("./core.js").Client;
type Texts = typeof import("./text.en.js").TEXTS;
type Vnode = {tag: string, key: string | null, props: Record<string, any>, children: (Vnode | string)[]};
type Child = Vnode | string | number | null | undefined | false | ReadonlyArray<any>;

type DataItem = {label: string, category: string, isSpecial: boolean, isRequired: boolean, specialCategoryCondition: string | null};
/** A text of a shared catalog, by language. */
type Labels = Record<string, string> | null;
type Access = {
  processor: {title: string, service: string, services: Labels, country: string, safeguard: string, safeguards: Labels};
};
type Purpose = {
  id: string;
  title: string;
  description: string;
  legalBasis: string;
  consentRequired: boolean;
  respectsGlobalPrivacyControl: boolean;
  version: number;
  retentionMonths: number | null;
  dataItems: DataItem[];
  processors: Access[];
};
type Notice = {
  id: string;
  title: string;
  version: number;
  language: string;
  quickLook: string;
  overview: string;
  full: string;
  publishedAt: string;
};
type Faq = {id: string, category: string, question: string, answer: string};
type Controller = {
  id: string;
  title: string;
  description: string | null;
  website: string | null;
  address: string | null;
  postalCode: string | null;
  city: string | null;
  country: string | null;
  language: string;
  dpoName: string | null;
  dpoEmail: string | null;
  dpoPhone: string | null;
  purposes: Purpose[];
  faqs: Faq[];
  privacyNotices: Notice[];
};
type Consent = {
  id: string;
  value: string;
  dataControllerProcessingPurposeId: string;
  createdAt: string;
  updatedAt: string;
  givenBy: string;
  form: string | null;
  purposeVersion: number | null;
};
type FormerConsent = {
  dataSubjectConsentFormValueId: string;
  value: string;
  validFrom: string;
  replacedAt: string;
  givenBy: string;
  form: string;
};
type Message = {
  id: string;
  kind: string;
  title: string;
  body: string;
  isRead: boolean;
  createdAt: string;
};
type Person = {displayName: string | null, email: string | null, globalPrivacyControl: boolean};
type Source = {
  id: string;
  kind: "faq" | "notice" | "purpose" | "controller";
  title: string;
  text: string;
  language: string;
};
type Answer = {answer: string, language: string, generated: boolean, sources: Source[]};
type RightsRequest = {
  id: string;
  requestType: string;
  status: string;
  description: string | null;
  createdAt: string;
  updatedAt: string;
  verified: boolean;
  closedAt: string | null;
  result: string | null;
  rejectionReason: string | null;
  contactEmail: string | null;
  contactVerifiedAt: string | null;
  workflow: Workflow | null;
  documents: AnswerDocument[];
};
type Workflow = {
  state: string;
  dueAt: string;
  extendedAt: string | null;
  extensionReason: string | null;
};
type AnswerDocument = {id: string, title: string, mediaType: string, createdAt: string};
type Mapping = {
  dataItemId: string;
  dataItemLabel: string;
  dataItemLabels: Labels;
  dataCategory: string;
  isSpecial: boolean;
  purposeTitle: string | null;
  legalBasis: string | null;
  retentionMonths: number | null;
  processors: string[] | null;
  origin: string;
  originLabel: string | null;
  originLabels: Labels;
  recordedAt: string | null;
};
/** `identity`: it is not known who the person is; `own`: the person's own data cannot be read. */
type Settings = {honoursGlobalPrivacyControl?: boolean, supervisoryAuthority?: string};
type Trouble = "identity" | "own";
type Session = {
  accessToken: string;
  role: string;
  roleHeader: string;
  dataSubjectId: string | null;
  until: number;
  isIdentified: boolean;
  trouble: Trouble | null;
};
type Own = {
  consents: Consent[];
  history: FormerConsent[];
  requests: RightsRequest[];
  mapping: Mapping[];
  messages: Message[];
  person: Person | null;
};
type Place = {base: string, controllerId: string, identity: string | null, identityUrl: string | null};
