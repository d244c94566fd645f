// The documents of the role `user` with their types. Made by `generate.mjs`; do not edit.

import type { GraphqlDocument } from "../document";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Boolean expression to compare columns of type "Boolean". All fields are combined with logical 'AND'. */
export type Boolean_Comparison_Exp = {
  _eq?: boolean | null | undefined;
  _neq?: boolean | null | undefined;
  _gt?: boolean | null | undefined;
  _gte?: boolean | null | undefined;
  _lt?: boolean | null | undefined;
  _lte?: boolean | null | undefined;
  _in?: Array<boolean> | null | undefined;
  _nin?: Array<boolean> | null | undefined;
  _between?: Array<boolean> | null | undefined;
  _is_distinct_from?: boolean | null | undefined;
  _is_null?: boolean | null | undefined;
};

export type DataSubjectPayload = {
  displayName?: string | null | undefined;
  email?: string | null | undefined;
  country?: string | null | undefined;
};

/** Boolean expression to compare columns of type "Int". All fields are combined with logical 'AND'. */
export type Int_Comparison_Exp = {
  _eq?: number | null | undefined;
  _neq?: number | null | undefined;
  _gt?: number | null | undefined;
  _gte?: number | null | undefined;
  _lt?: number | null | undefined;
  _lte?: number | null | undefined;
  _in?: Array<number> | null | undefined;
  _nin?: Array<number> | null | undefined;
  _between?: Array<number> | null | undefined;
  _is_distinct_from?: number | null | undefined;
  _is_null?: boolean | null | undefined;
};

/** Boolean expression to compare columns of type "String". All fields are combined with logical 'AND'. */
export type String_Comparison_Exp = {
  _eq?: string | null | undefined;
  _neq?: string | null | undefined;
  _gt?: string | null | undefined;
  _gte?: string | null | undefined;
  _lt?: string | null | undefined;
  _lte?: string | null | undefined;
  _in?: Array<string> | null | undefined;
  _nin?: Array<string> | null | undefined;
  _between?: Array<string> | null | undefined;
  _is_distinct_from?: string | null | undefined;
  _is_null?: boolean | null | undefined;
  _like?: string | null | undefined;
  _nlike?: string | null | undefined;
  _ilike?: string | null | undefined;
  _nilike?: string | null | undefined;
  _similar?: string | null | undefined;
  _nsimilar?: string | null | undefined;
  _regex?: string | null | undefined;
  _nregex?: string | null | undefined;
  _iregex?: string | null | undefined;
  _niregex?: string | null | undefined;
  _starts_with?: string | null | undefined;
  _fts?: Fts_Exp | null | undefined;
};

/** input type for inserting data into table "data_controller_faqs" */
export type DataControllerFaqs_Insert_Input = {
  dataControllerId?: string | null | undefined;
  category?: string | null | undefined;
  question?: string | null | undefined;
  answer?: string | null | undefined;
  position?: number | null | undefined;
  published?: boolean | null | undefined;
};

/** input type for updating data in table "data_controller_faqs" */
export type DataControllerFaqs_Set_Input = {
  category?: string | null | undefined;
  question?: string | null | undefined;
  answer?: string | null | undefined;
  position?: number | null | undefined;
  published?: boolean | null | undefined;
};

/** Boolean expression to filter rows from the table "data_controller_processing_purposes". All fields are combined with a logical 'AND'. */
export type DataControllerProcessingPurposes_Bool_Exp = {
  _and?: Array<DataControllerProcessingPurposes_Bool_Exp> | null | undefined;
  _not?: DataControllerProcessingPurposes_Bool_Exp | null | undefined;
  _or?: Array<DataControllerProcessingPurposes_Bool_Exp> | null | undefined;
  id?: Uuid_Comparison_Exp | null | undefined;
  dataControllerId?: Uuid_Comparison_Exp | null | undefined;
  title?: String_Comparison_Exp | null | undefined;
  description?: String_Comparison_Exp | null | undefined;
  legalBasis?: String_Comparison_Exp | null | undefined;
  consentRequired?: Boolean_Comparison_Exp | null | undefined;
  retentionMonths?: Int_Comparison_Exp | null | undefined;
  status?: String_Comparison_Exp | null | undefined;
  position?: Int_Comparison_Exp | null | undefined;
  respectsGlobalPrivacyControl?: Boolean_Comparison_Exp | null | undefined;
  version?: Int_Comparison_Exp | null | undefined;
  replacesId?: Uuid_Comparison_Exp | null | undefined;
  createdAt?: Timestamptz_Comparison_Exp | null | undefined;
  updatedAt?: Timestamptz_Comparison_Exp | null | undefined;
};

export type DataControllerProcessingPurposes_Constraint =
  | 'data_controller_processing_purposes_pkey'
  | 'data_controller_processing_purposes_replaces_key'
  | 'data_controller_processing_purposes_title_key';

/** input type for inserting data into table "data_controller_processing_purposes" */
export type DataControllerProcessingPurposes_Insert_Input = {
  dataControllerId?: string | null | undefined;
  title?: string | null | undefined;
  description?: string | null | undefined;
  legalBasis?: string | null | undefined;
  retentionMonths?: number | null | undefined;
  status?: string | null | undefined;
  position?: number | null | undefined;
  respectsGlobalPrivacyControl?: boolean | null | undefined;
  replacesId?: string | null | undefined;
  consents?: DataSubjectConsentFormValues_Arr_Rel_Insert_Input | null | undefined;
  dataItems?: DataControllerPurposeDataItems_Arr_Rel_Insert_Input | null | undefined;
  processors?: DataControllerPurposeProcessors_Arr_Rel_Insert_Input | null | undefined;
  replacedBy?: DataControllerProcessingPurposes_Obj_Rel_Insert_Input | null | undefined;
  replaces?: DataControllerProcessingPurposes_Obj_Rel_Insert_Input | null | undefined;
  templateLinks?: DataControllerPurposeTemplateLinks_Arr_Rel_Insert_Input | null | undefined;
};

/** input type for inserting object relation for remote table "data_controller_processing_purposes" */
export type DataControllerProcessingPurposes_Obj_Rel_Insert_Input = {
  data: DataControllerProcessingPurposes_Insert_Input;
  on_conflict?: DataControllerProcessingPurposes_On_Conflict | null | undefined;
};

/** on_conflict condition type for table "data_controller_processing_purposes" */
export type DataControllerProcessingPurposes_On_Conflict = {
  constraint: DataControllerProcessingPurposes_Constraint;
  update_columns?: Array<DataControllerProcessingPurposes_Update_Column>;
};

/** input type for updating data in table "data_controller_processing_purposes" */
export type DataControllerProcessingPurposes_Set_Input = {
  title?: string | null | undefined;
  description?: string | null | undefined;
  legalBasis?: string | null | undefined;
  retentionMonths?: number | null | undefined;
  status?: string | null | undefined;
  position?: number | null | undefined;
  respectsGlobalPrivacyControl?: boolean | null | undefined;
};

export type DataControllerProcessingPurposes_Update_Column =
  | 'title'
  | 'description'
  | 'legalBasis'
  | 'retentionMonths'
  | 'status'
  | 'position'
  | 'respectsGlobalPrivacyControl';

/** input type for inserting array relation for remote table "data_controller_purpose_data_items" */
export type DataControllerPurposeDataItems_Arr_Rel_Insert_Input = {
  data: Array<DataControllerPurposeDataItems_Insert_Input>;
  on_conflict?: DataControllerPurposeDataItems_On_Conflict | null | undefined;
};

export type DataControllerPurposeDataItems_Constraint =
  | 'data_controller_purpose_data_items_pkey'
  | 'data_controller_purpose_data_items_label_key';

/** input type for inserting data into table "data_controller_purpose_data_items" */
export type DataControllerPurposeDataItems_Insert_Input = {
  dataControllerProcessingPurposeId?: string | null | undefined;
  label?: string | null | undefined;
  category?: string | null | undefined;
  specialCategoryCondition?: string | null | undefined;
  isRequired?: boolean | null | undefined;
  purpose?: DataControllerProcessingPurposes_Obj_Rel_Insert_Input | null | undefined;
};

/** on_conflict condition type for table "data_controller_purpose_data_items" */
export type DataControllerPurposeDataItems_On_Conflict = {
  constraint: DataControllerPurposeDataItems_Constraint;
  update_columns?: Array<DataControllerPurposeDataItems_Update_Column>;
};

export type DataControllerPurposeDataItems_Update_Column =
  | 'label'
  | 'category'
  | 'specialCategoryCondition'
  | 'isRequired';

/** input type for inserting array relation for remote table "data_controller_purpose_processors" */
export type DataControllerPurposeProcessors_Arr_Rel_Insert_Input = {
  data: Array<DataControllerPurposeProcessors_Insert_Input>;
  on_conflict?: DataControllerPurposeProcessors_On_Conflict | null | undefined;
};

export type DataControllerPurposeProcessors_Constraint =
  | 'data_controller_purpose_processors_pkey';

/** input type for inserting data into table "data_controller_purpose_processors" */
export type DataControllerPurposeProcessors_Insert_Input = {
  dataControllerProcessingPurposeId?: string | null | undefined;
  dataProcessorId?: string | null | undefined;
  accessLevel?: string | null | undefined;
  purpose?: DataControllerProcessingPurposes_Obj_Rel_Insert_Input | null | undefined;
};

/** on_conflict condition type for table "data_controller_purpose_processors" */
export type DataControllerPurposeProcessors_On_Conflict = {
  constraint: DataControllerPurposeProcessors_Constraint;
  update_columns?: Array<DataControllerPurposeProcessors_Update_Column>;
};

export type DataControllerPurposeProcessors_Update_Column =
  | 'accessLevel';

/** input type for inserting array relation for remote table "data_controller_purpose_template_links" */
export type DataControllerPurposeTemplateLinks_Arr_Rel_Insert_Input = {
  data: Array<DataControllerPurposeTemplateLinks_Insert_Input>;
  on_conflict?: DataControllerPurposeTemplateLinks_On_Conflict | null | undefined;
};

export type DataControllerPurposeTemplateLinks_Constraint =
  | 'data_controller_purpose_template_links_pkey'
  | 'data_controller_purpose_template_links_business_key'
  | 'data_controller_purpose_template_links_operational_key';

/** input type for inserting data into table "data_controller_purpose_template_links" */
export type DataControllerPurposeTemplateLinks_Insert_Input = {
  dataControllerProcessingPurposeId?: string | null | undefined;
  purposeBusinessTemplateId?: string | null | undefined;
  purposeOperationalTemplateId?: string | null | undefined;
  purpose?: DataControllerProcessingPurposes_Obj_Rel_Insert_Input | null | undefined;
};

/** on_conflict condition type for table "data_controller_purpose_template_links" */
export type DataControllerPurposeTemplateLinks_On_Conflict = {
  constraint: DataControllerPurposeTemplateLinks_Constraint;
  update_columns?: Array<DataControllerPurposeTemplateLinks_Update_Column>;
};

export type DataControllerPurposeTemplateLinks_Update_Column =
  | '_PLACEHOLDER';

/** input type for updating data in table "data_controller_users" */
export type DataControllerUsers_Set_Input = {
  role?: string | null | undefined;
  status?: string | null | undefined;
};

/** input type for inserting array relation for remote table "data_processing_activities" */
export type DataProcessingActivities_Arr_Rel_Insert_Input = {
  data: Array<DataProcessingActivities_Insert_Input>;
  on_conflict?: DataProcessingActivities_On_Conflict | null | undefined;
};

export type DataProcessingActivities_Constraint =
  | 'data_processing_activities_pkey';

/** input type for inserting data into table "data_processing_activities" */
export type DataProcessingActivities_Insert_Input = {
  dataSubjectId?: string | null | undefined;
  typeId?: string | null | undefined;
  sourceId?: string | null | undefined;
  triggeredAt?: string | null | undefined;
  fieldIds?: Array<string> | null | undefined;
  preferenceIds?: Array<string> | null | undefined;
  dataSubject?: DataSubjects_Obj_Rel_Insert_Input | null | undefined;
};

/** on_conflict condition type for table "data_processing_activities" */
export type DataProcessingActivities_On_Conflict = {
  constraint: DataProcessingActivities_Constraint;
  update_columns?: Array<DataProcessingActivities_Update_Column>;
};

export type DataProcessingActivities_Update_Column =
  | '_PLACEHOLDER';

/** input type for inserting array relation for remote table "data_subject_consent_form_values" */
export type DataSubjectConsentFormValues_Arr_Rel_Insert_Input = {
  data: Array<DataSubjectConsentFormValues_Insert_Input>;
  on_conflict?: DataSubjectConsentFormValues_On_Conflict | null | undefined;
};

/** Boolean expression to filter rows from the table "data_subject_consent_form_values". All fields are combined with a logical 'AND'. */
export type DataSubjectConsentFormValues_Bool_Exp = {
  _and?: Array<DataSubjectConsentFormValues_Bool_Exp> | null | undefined;
  _not?: DataSubjectConsentFormValues_Bool_Exp | null | undefined;
  _or?: Array<DataSubjectConsentFormValues_Bool_Exp> | null | undefined;
  id?: Uuid_Comparison_Exp | null | undefined;
  dataSubjectId?: Uuid_Comparison_Exp | null | undefined;
  dataControllerProcessingPurposeId?: Uuid_Comparison_Exp | null | undefined;
  value?: String_Comparison_Exp | null | undefined;
  givenBy?: String_Comparison_Exp | null | undefined;
  givenByUserId?: Uuid_Comparison_Exp | null | undefined;
  form?: String_Comparison_Exp | null | undefined;
  purposeVersion?: Int_Comparison_Exp | null | undefined;
  privacyNoticeId?: Uuid_Comparison_Exp | null | undefined;
  textDigest?: String_Comparison_Exp | null | undefined;
  createdAt?: Timestamptz_Comparison_Exp | null | undefined;
  updatedAt?: Timestamptz_Comparison_Exp | null | undefined;
  dataSubject?: DataSubjects_Bool_Exp | null | undefined;
  purpose?: DataControllerProcessingPurposes_Bool_Exp | null | undefined;
  shownText?: String_Comparison_Exp | null | undefined;
};

export type DataSubjectConsentFormValues_Constraint =
  | 'data_subject_consent_form_values_pkey'
  | 'data_subject_consent_form_values_purpose_key';

/** input type for inserting data into table "data_subject_consent_form_values" */
export type DataSubjectConsentFormValues_Insert_Input = {
  dataSubjectId?: string | null | undefined;
  dataControllerProcessingPurposeId?: string | null | undefined;
  value?: string | null | undefined;
  dataSubject?: DataSubjects_Obj_Rel_Insert_Input | null | undefined;
  privacyNotice?: PrivacyNotices_Obj_Rel_Insert_Input | null | undefined;
  purpose?: DataControllerProcessingPurposes_Obj_Rel_Insert_Input | null | undefined;
};

/** on_conflict condition type for table "data_subject_consent_form_values" */
export type DataSubjectConsentFormValues_On_Conflict = {
  constraint: DataSubjectConsentFormValues_Constraint;
  update_columns?: Array<DataSubjectConsentFormValues_Update_Column>;
};

export type DataSubjectConsentFormValues_Update_Column =
  | 'value';

/** input type for inserting array relation for remote table "data_subject_rights_requests" */
export type DataSubjectsRightsRequests_Arr_Rel_Insert_Input = {
  data: Array<DataSubjectsRightsRequests_Insert_Input>;
  on_conflict?: DataSubjectsRightsRequests_On_Conflict | null | undefined;
};

/** Boolean expression to filter rows from the table "data_subject_rights_requests". All fields are combined with a logical 'AND'. */
export type DataSubjectsRightsRequests_Bool_Exp = {
  _and?: Array<DataSubjectsRightsRequests_Bool_Exp> | null | undefined;
  _not?: DataSubjectsRightsRequests_Bool_Exp | null | undefined;
  _or?: Array<DataSubjectsRightsRequests_Bool_Exp> | null | undefined;
  id?: Uuid_Comparison_Exp | null | undefined;
  dataSubjectId?: Uuid_Comparison_Exp | null | undefined;
  requestType?: String_Comparison_Exp | null | undefined;
  status?: String_Comparison_Exp | null | undefined;
  description?: String_Comparison_Exp | null | undefined;
  channel?: String_Comparison_Exp | null | undefined;
  contactEmail?: String_Comparison_Exp | null | undefined;
  contactVerifiedAt?: Timestamptz_Comparison_Exp | null | undefined;
  verified?: Boolean_Comparison_Exp | null | undefined;
  verifiedAt?: Timestamptz_Comparison_Exp | null | undefined;
  verifiedBy?: Uuid_Comparison_Exp | null | undefined;
  identityEvidence?: String_Comparison_Exp | null | undefined;
  erasedAt?: Timestamptz_Comparison_Exp | null | undefined;
  erasedBy?: Uuid_Comparison_Exp | null | undefined;
  result?: String_Comparison_Exp | null | undefined;
  rejectionReason?: String_Comparison_Exp | null | undefined;
  closedAt?: Timestamptz_Comparison_Exp | null | undefined;
  closedBy?: Uuid_Comparison_Exp | null | undefined;
  createdAt?: Timestamptz_Comparison_Exp | null | undefined;
  updatedAt?: Timestamptz_Comparison_Exp | null | undefined;
  dataSubject?: DataSubjects_Bool_Exp | null | undefined;
};

export type DataSubjectsRightsRequests_Constraint =
  | 'data_subject_rights_requests_pkey';

export type DataSubjectsRightsRequests_Fts_Column =
  | 'requestType'
  | 'status'
  | 'description'
  | 'channel'
  | 'contactEmail'
  | 'identityEvidence'
  | 'result'
  | 'rejectionReason';

/** order by how well a full-text search is answered */
export type DataSubjectsRightsRequests_Fts_Order_By = {
  column: DataSubjectsRightsRequests_Fts_Column;
  query: string;
  config?: string | null | undefined;
  mode?: Fts_Mode | null | undefined;
  order?: Order_By | null | undefined;
};

/** input type for inserting data into table "data_subject_rights_requests" */
export type DataSubjectsRightsRequests_Insert_Input = {
  dataSubjectId?: string | null | undefined;
  requestType?: string | null | undefined;
  status?: string | null | undefined;
  description?: string | null | undefined;
  verified?: boolean | null | undefined;
  identityEvidence?: string | null | undefined;
  dataSubject?: DataSubjects_Obj_Rel_Insert_Input | null | undefined;
  documents?: RightsRequestDocuments_Arr_Rel_Insert_Input | null | undefined;
};

/** input type for inserting object relation for remote table "data_subject_rights_requests" */
export type DataSubjectsRightsRequests_Obj_Rel_Insert_Input = {
  data: DataSubjectsRightsRequests_Insert_Input;
  on_conflict?: DataSubjectsRightsRequests_On_Conflict | null | undefined;
};

/** on_conflict condition type for table "data_subject_rights_requests" */
export type DataSubjectsRightsRequests_On_Conflict = {
  constraint: DataSubjectsRightsRequests_Constraint;
  update_columns?: Array<DataSubjectsRightsRequests_Update_Column>;
};

/** Ordering options when selecting data from "data_subject_rights_requests". */
export type DataSubjectsRightsRequests_Order_By = {
  id?: Order_By | null | undefined;
  dataSubjectId?: Order_By | null | undefined;
  requestType?: Order_By | null | undefined;
  status?: Order_By | null | undefined;
  description?: Order_By | null | undefined;
  channel?: Order_By | null | undefined;
  contactEmail?: Order_By | null | undefined;
  contactVerifiedAt?: Order_By | null | undefined;
  verified?: Order_By | null | undefined;
  verifiedAt?: Order_By | null | undefined;
  verifiedBy?: Order_By | null | undefined;
  identityEvidence?: Order_By | null | undefined;
  erasedAt?: Order_By | null | undefined;
  erasedBy?: Order_By | null | undefined;
  result?: Order_By | null | undefined;
  rejectionReason?: Order_By | null | undefined;
  closedAt?: Order_By | null | undefined;
  closedBy?: Order_By | null | undefined;
  createdAt?: Order_By | null | undefined;
  updatedAt?: Order_By | null | undefined;
  dataSubject?: DataSubjects_Order_By | null | undefined;
  _fts?: DataSubjectsRightsRequests_Fts_Order_By | null | undefined;
};

/** input type for updating data in table "data_subject_rights_requests" */
export type DataSubjectsRightsRequests_Set_Input = {
  status?: string | null | undefined;
  verified?: boolean | null | undefined;
  identityEvidence?: string | null | undefined;
  result?: string | null | undefined;
  rejectionReason?: string | null | undefined;
};

export type DataSubjectsRightsRequests_Update_Column =
  | 'status'
  | 'verified'
  | 'identityEvidence'
  | 'result'
  | 'rejectionReason';

/** Boolean expression to filter rows from the table "data_subjects". All fields are combined with a logical 'AND'. */
export type DataSubjects_Bool_Exp = {
  _and?: Array<DataSubjects_Bool_Exp> | null | undefined;
  _not?: DataSubjects_Bool_Exp | null | undefined;
  _or?: Array<DataSubjects_Bool_Exp> | null | undefined;
  id?: Uuid_Comparison_Exp | null | undefined;
  dataControllerId?: Uuid_Comparison_Exp | null | undefined;
  did?: String_Comparison_Exp | null | undefined;
  displayName?: String_Comparison_Exp | null | undefined;
  email?: String_Comparison_Exp | null | undefined;
  country?: String_Comparison_Exp | null | undefined;
  language?: String_Comparison_Exp | null | undefined;
  doNotTrack?: Boolean_Comparison_Exp | null | undefined;
  globalPrivacyControl?: Boolean_Comparison_Exp | null | undefined;
  createdAt?: Timestamptz_Comparison_Exp | null | undefined;
  updatedAt?: Timestamptz_Comparison_Exp | null | undefined;
};

export type DataSubjects_Constraint =
  | 'data_subjects_pkey'
  | 'data_subjects_did_key';

export type DataSubjects_Fts_Column =
  | 'did'
  | 'displayName'
  | 'email'
  | 'country'
  | 'language';

/** order by how well a full-text search is answered */
export type DataSubjects_Fts_Order_By = {
  column: DataSubjects_Fts_Column;
  query: string;
  config?: string | null | undefined;
  mode?: Fts_Mode | null | undefined;
  order?: Order_By | null | undefined;
};

/** input type for inserting data into table "data_subjects" */
export type DataSubjects_Insert_Input = {
  dataControllerId?: string | null | undefined;
  did?: string | null | undefined;
  displayName?: string | null | undefined;
  email?: string | null | undefined;
  country?: string | null | undefined;
  language?: string | null | undefined;
  doNotTrack?: boolean | null | undefined;
  globalPrivacyControl?: boolean | null | undefined;
  consents?: DataSubjectConsentFormValues_Arr_Rel_Insert_Input | null | undefined;
  dataProcessingActivities?: DataProcessingActivities_Arr_Rel_Insert_Input | null | undefined;
  notifications?: NotificationMessages_Arr_Rel_Insert_Input | null | undefined;
  rightsRequestDocuments?: RightsRequestDocuments_Arr_Rel_Insert_Input | null | undefined;
  rightsRequests?: DataSubjectsRightsRequests_Arr_Rel_Insert_Input | null | undefined;
};

/** input type for inserting object relation for remote table "data_subjects" */
export type DataSubjects_Obj_Rel_Insert_Input = {
  data: DataSubjects_Insert_Input;
  on_conflict?: DataSubjects_On_Conflict | null | undefined;
};

/** on_conflict condition type for table "data_subjects" */
export type DataSubjects_On_Conflict = {
  constraint: DataSubjects_Constraint;
  update_columns?: Array<DataSubjects_Update_Column>;
};

/** Ordering options when selecting data from "data_subjects". */
export type DataSubjects_Order_By = {
  id?: Order_By | null | undefined;
  dataControllerId?: Order_By | null | undefined;
  did?: Order_By | null | undefined;
  displayName?: Order_By | null | undefined;
  email?: Order_By | null | undefined;
  country?: Order_By | null | undefined;
  language?: Order_By | null | undefined;
  doNotTrack?: Order_By | null | undefined;
  globalPrivacyControl?: Order_By | null | undefined;
  createdAt?: Order_By | null | undefined;
  updatedAt?: Order_By | null | undefined;
  _fts?: DataSubjects_Fts_Order_By | null | undefined;
};

/** input type for updating data in table "data_subjects" */
export type DataSubjects_Set_Input = {
  displayName?: string | null | undefined;
  email?: string | null | undefined;
  country?: string | null | undefined;
  language?: string | null | undefined;
  doNotTrack?: boolean | null | undefined;
  globalPrivacyControl?: boolean | null | undefined;
};

export type DataSubjects_Update_Column =
  | 'displayName'
  | 'email'
  | 'country'
  | 'language'
  | 'doNotTrack'
  | 'globalPrivacyControl';

/** a full-text search; without a config the one that the database uses */
export type Fts_Exp = {
  query: string;
  config?: string | null | undefined;
  mode?: Fts_Mode | null | undefined;
};

export type Fts_Mode =
  | 'PLAIN'
  | 'PHRASE'
  | 'WEBSEARCH'
  | 'RAW';

/** input type for inserting array relation for remote table "notification_messages" */
export type NotificationMessages_Arr_Rel_Insert_Input = {
  data: Array<NotificationMessages_Insert_Input>;
  on_conflict?: NotificationMessages_On_Conflict | null | undefined;
};

export type NotificationMessages_Constraint =
  | 'notification_messages_pkey';

/** input type for inserting data into table "notification_messages" */
export type NotificationMessages_Insert_Input = {
  dataSubjectId?: string | null | undefined;
  kind?: string | null | undefined;
  title?: string | null | undefined;
  body?: string | null | undefined;
  dataSubject?: DataSubjects_Obj_Rel_Insert_Input | null | undefined;
};

/** on_conflict condition type for table "notification_messages" */
export type NotificationMessages_On_Conflict = {
  constraint: NotificationMessages_Constraint;
  update_columns?: Array<NotificationMessages_Update_Column>;
};

export type NotificationMessages_Update_Column =
  | 'isRead';

export type Order_By =
  | 'asc'
  | 'asc_nulls_first'
  | 'asc_nulls_last'
  | 'desc'
  | 'desc_nulls_first'
  | 'desc_nulls_last';

export type PrivacyNotices_Constraint =
  | 'privacy_notices_pkey'
  | 'privacy_notices_version_key';

/** input type for inserting data into table "privacy_notices" */
export type PrivacyNotices_Insert_Input = {
  dataControllerId?: string | null | undefined;
  title?: string | null | undefined;
  version?: number | null | undefined;
  language?: string | null | undefined;
  quickLook?: string | null | undefined;
  overview?: string | null | undefined;
  full?: string | null | undefined;
  published?: boolean | null | undefined;
  publishedAt?: string | null | undefined;
  dataSubjectConsentFormValues?: DataSubjectConsentFormValues_Arr_Rel_Insert_Input | null | undefined;
};

/** input type for inserting object relation for remote table "privacy_notices" */
export type PrivacyNotices_Obj_Rel_Insert_Input = {
  data: PrivacyNotices_Insert_Input;
  on_conflict?: PrivacyNotices_On_Conflict | null | undefined;
};

/** on_conflict condition type for table "privacy_notices" */
export type PrivacyNotices_On_Conflict = {
  constraint: PrivacyNotices_Constraint;
  update_columns?: Array<PrivacyNotices_Update_Column>;
};

/** input type for updating data in table "privacy_notices" */
export type PrivacyNotices_Set_Input = {
  title?: string | null | undefined;
  quickLook?: string | null | undefined;
  overview?: string | null | undefined;
  full?: string | null | undefined;
  published?: boolean | null | undefined;
  publishedAt?: string | null | undefined;
};

export type PrivacyNotices_Update_Column =
  | 'title'
  | 'quickLook'
  | 'overview'
  | 'full'
  | 'published'
  | 'publishedAt';

/** input type for inserting array relation for remote table "rights_request_documents" */
export type RightsRequestDocuments_Arr_Rel_Insert_Input = {
  data: Array<RightsRequestDocuments_Insert_Input>;
  on_conflict?: RightsRequestDocuments_On_Conflict | null | undefined;
};

export type RightsRequestDocuments_Constraint =
  | 'rights_request_documents_pkey';

/** input type for inserting data into table "rights_request_documents" */
export type RightsRequestDocuments_Insert_Input = {
  dataSubjectRightsRequestId?: string | null | undefined;
  title?: string | null | undefined;
  mediaType?: string | null | undefined;
  content?: string | null | undefined;
  dataSubject?: DataSubjects_Obj_Rel_Insert_Input | null | undefined;
  request?: DataSubjectsRightsRequests_Obj_Rel_Insert_Input | null | undefined;
};

/** on_conflict condition type for table "rights_request_documents" */
export type RightsRequestDocuments_On_Conflict = {
  constraint: RightsRequestDocuments_Constraint;
  update_columns?: Array<RightsRequestDocuments_Update_Column>;
};

export type RightsRequestDocuments_Update_Column =
  | '_PLACEHOLDER';

/** Boolean expression to filter rows from the table "rights_request_workflows". All fields are combined with a logical 'AND'. */
export type RightsRequestWorkflows_Bool_Exp = {
  _and?: Array<RightsRequestWorkflows_Bool_Exp> | null | undefined;
  _not?: RightsRequestWorkflows_Bool_Exp | null | undefined;
  _or?: Array<RightsRequestWorkflows_Bool_Exp> | null | undefined;
  id?: Uuid_Comparison_Exp | null | undefined;
  dataSubjectRightsRequestId?: Uuid_Comparison_Exp | null | undefined;
  dataSubjectId?: Uuid_Comparison_Exp | null | undefined;
  state?: String_Comparison_Exp | null | undefined;
  assignedTo?: Uuid_Comparison_Exp | null | undefined;
  dueAt?: Timestamptz_Comparison_Exp | null | undefined;
  extendedAt?: Timestamptz_Comparison_Exp | null | undefined;
  extendedBy?: Uuid_Comparison_Exp | null | undefined;
  extensionReason?: String_Comparison_Exp | null | undefined;
  escalatedAt?: Timestamptz_Comparison_Exp | null | undefined;
  startedAt?: Timestamptz_Comparison_Exp | null | undefined;
  closedAt?: Timestamptz_Comparison_Exp | null | undefined;
  dataSubject?: DataSubjects_Bool_Exp | null | undefined;
  request?: DataSubjectsRightsRequests_Bool_Exp | null | undefined;
  isOverdue?: Boolean_Comparison_Exp | null | undefined;
};

export type RightsRequestWorkflows_Fts_Column =
  | 'state'
  | 'extensionReason';

/** order by how well a full-text search is answered */
export type RightsRequestWorkflows_Fts_Order_By = {
  column: RightsRequestWorkflows_Fts_Column;
  query: string;
  config?: string | null | undefined;
  mode?: Fts_Mode | null | undefined;
  order?: Order_By | null | undefined;
};

/** Ordering options when selecting data from "rights_request_workflows". */
export type RightsRequestWorkflows_Order_By = {
  id?: Order_By | null | undefined;
  dataSubjectRightsRequestId?: Order_By | null | undefined;
  dataSubjectId?: Order_By | null | undefined;
  state?: Order_By | null | undefined;
  assignedTo?: Order_By | null | undefined;
  dueAt?: Order_By | null | undefined;
  extendedAt?: Order_By | null | undefined;
  extendedBy?: Order_By | null | undefined;
  extensionReason?: Order_By | null | undefined;
  escalatedAt?: Order_By | null | undefined;
  startedAt?: Order_By | null | undefined;
  closedAt?: Order_By | null | undefined;
  dataSubject?: DataSubjects_Order_By | null | undefined;
  request?: DataSubjectsRightsRequests_Order_By | null | undefined;
  isOverdue?: Order_By | null | undefined;
  _fts?: RightsRequestWorkflows_Fts_Order_By | null | undefined;
};

/** input type for updating data in table "rights_request_workflows" */
export type RightsRequestWorkflows_Set_Input = {
  assignedTo?: string | null | undefined;
  extensionReason?: string | null | undefined;
};

/** Boolean expression to compare columns of type "timestamptz". All fields are combined with logical 'AND'. */
export type Timestamptz_Comparison_Exp = {
  _eq?: string | null | undefined;
  _neq?: string | null | undefined;
  _gt?: string | null | undefined;
  _gte?: string | null | undefined;
  _lt?: string | null | undefined;
  _lte?: string | null | undefined;
  _in?: Array<string> | null | undefined;
  _nin?: Array<string> | null | undefined;
  _between?: Array<string> | null | undefined;
  _is_distinct_from?: string | null | undefined;
  _is_null?: boolean | null | undefined;
};

/** Boolean expression to compare columns of type "uuid". All fields are combined with logical 'AND'. */
export type Uuid_Comparison_Exp = {
  _eq?: string | null | undefined;
  _neq?: string | null | undefined;
  _gt?: string | null | undefined;
  _gte?: string | null | undefined;
  _lt?: string | null | undefined;
  _lte?: string | null | undefined;
  _in?: Array<string> | null | undefined;
  _nin?: Array<string> | null | undefined;
  _between?: Array<string> | null | undefined;
  _is_distinct_from?: string | null | undefined;
  _is_null?: boolean | null | undefined;
};

/** Boolean expression to filter rows from the table "webhook_deliveries". All fields are combined with a logical 'AND'. */
export type WebhookDeliveries_Bool_Exp = {
  _and?: Array<WebhookDeliveries_Bool_Exp> | null | undefined;
  _not?: WebhookDeliveries_Bool_Exp | null | undefined;
  _or?: Array<WebhookDeliveries_Bool_Exp> | null | undefined;
  id?: Uuid_Comparison_Exp | null | undefined;
  dataControllerId?: Uuid_Comparison_Exp | null | undefined;
  service?: String_Comparison_Exp | null | undefined;
  receivedAt?: Timestamptz_Comparison_Exp | null | undefined;
  processedAt?: Timestamptz_Comparison_Exp | null | undefined;
  verification?: String_Comparison_Exp | null | undefined;
  state?: String_Comparison_Exp | null | undefined;
  attempts?: Int_Comparison_Exp | null | undefined;
  lastAttemptAt?: Timestamptz_Comparison_Exp | null | undefined;
  lastError?: String_Comparison_Exp | null | undefined;
};

export type RequestRowFragment = { id: string, state: string, dueAt: string, isOverdue: boolean | null, assignedTo: string | null, extendedAt: string | null, closedAt: string | null, assignee: { id: string, displayName: string } | null, dataSubject: { id: string, displayName: string | null, email: string | null } | null, request: { id: string, requestType: string, status: string, channel: string, verified: boolean, createdAt: string, closedAt: string | null } | null };

export type LiveRequestsSubscriptionVariables = Exact<{
  where: RightsRequestWorkflows_Bool_Exp;
  orderBy?: Array<RightsRequestWorkflows_Order_By> | RightsRequestWorkflows_Order_By | null | undefined;
  limit: number;
  offset: number;
}>;


export type LiveRequestsSubscription = { rightsRequestWorkflows: Array<RequestRowFragment> };

export type CountRequestsQueryVariables = Exact<{
  where: RightsRequestWorkflows_Bool_Exp;
}>;


export type CountRequestsQuery = { rightsRequestWorkflowsAggregate: { aggregate: { count: number } | null } };

export type RequestCountsQueryVariables = Exact<{
  overdue: RightsRequestWorkflows_Bool_Exp;
  week: RightsRequestWorkflows_Bool_Exp;
  mine: RightsRequestWorkflows_Bool_Exp;
  unassigned: RightsRequestWorkflows_Bool_Exp;
  unverified: RightsRequestWorkflows_Bool_Exp;
  open: RightsRequestWorkflows_Bool_Exp;
}>;


export type RequestCountsQuery = { overdue: { aggregate: { count: number } | null }, week: { aggregate: { count: number } | null }, mine: { aggregate: { count: number } | null }, unassigned: { aggregate: { count: number } | null }, unverified: { aggregate: { count: number } | null }, open: { aggregate: { count: number } | null } };

export type LiveRemindersSubscriptionVariables = Exact<{
  controller: string;
}>;


export type LiveRemindersSubscription = { teamReminders: Array<{ id: string, kind: string, createdAt: string, workflow: { id: string, dueAt: string, dataSubjectRightsRequestId: string } | null, dataSubject: { displayName: string | null, email: string | null } | null }> };

export type ReadReminderMutationVariables = Exact<{
  id: string;
}>;


export type ReadReminderMutation = { updateTeamRemindersByPk: { id: string } | null };

export type RequestStatisticsQueryVariables = Exact<{
  controller: string;
  since: string;
}>;


export type RequestStatisticsQuery = { byWeek: Array<{ key: { createdAt: string, status: string }, aggregate: { count: number } }>, answered: Array<{ id: string, createdAt: string, closedAt: string | null, requestType: string, workflow: { dueAt: string } | null }> };

export type ConsentStatisticsQueryVariables = Exact<{
  controller: string;
  since: string;
}>;


export type ConsentStatisticsQuery = { purposes: Array<{ id: string, title: string, status: string }>, current: Array<{ key: { dataControllerProcessingPurposeId: string, value: string }, aggregate: { count: number } }>, answers: Array<{ key: { updatedAt: string, dataControllerProcessingPurposeId: string, value: string }, aggregate: { count: number } }> };

export type AssignRequestsMutationVariables = Exact<{
  ids: Array<string> | string;
  to?: string | null | undefined;
}>;


export type AssignRequestsMutation = { updateRightsRequestWorkflows: { affected_rows: number } | null };

export type SetRequestsStatusMutationVariables = Exact<{
  ids: Array<string> | string;
  status: string;
}>;


export type SetRequestsStatusMutation = { updateDataSubjectsRightsRequests: { affected_rows: number } | null };

export type LiveRequestSubscriptionVariables = Exact<{
  id: string;
}>;


export type LiveRequestSubscription = { dataSubjectsRightsRequest: { id: string, requestType: string, status: string, channel: string, description: string | null, contactEmail: string | null, contactVerifiedAt: string | null, verified: boolean, verifiedAt: string | null, identityEvidence: string | null, erasedAt: string | null, result: string | null, rejectionReason: string | null, createdAt: string, closedAt: string | null, verifier: { displayName: string } | null, closer: { displayName: string } | null, dataSubject: { id: string, displayName: string | null, email: string | null, language: string } | null, documents: Array<{ id: string, title: string, mediaType: string, createdAt: string, author: { displayName: string } | null }>, workflow: { id: string, state: string, dueAt: string, isOverdue: boolean | null, assignedTo: string | null, extendedAt: string | null, extensionReason: string | null, closedAt: string | null, assignee: { id: string, displayName: string } | null, tasks: Array<{ id: string, code: string, titles: unknown, state: string, dueAt: string, doneAt: string | null, member: { displayName: string } | null }> } | null } | null };

export type RequestMessagesQueryVariables = Exact<{
  person: string;
  since: string;
}>;


export type RequestMessagesQuery = { notificationMessages: Array<{ id: string, title: string, body: string, isRead: boolean, createdAt: string }> };

export type RequestDocumentQueryVariables = Exact<{
  id: string;
}>;


export type RequestDocumentQuery = { rightsRequestDocument: { title: string, mediaType: string, content: string } | null };

export type UpdateRequestMutationVariables = Exact<{
  id: string;
  set: DataSubjectsRightsRequests_Set_Input;
}>;


export type UpdateRequestMutation = { updateDataSubjectsRightsRequest: { id: string } | null };

export type UpdateWorkflowMutationVariables = Exact<{
  id: string;
  set: RightsRequestWorkflows_Set_Input;
}>;


export type UpdateWorkflowMutation = { updateRightsRequestWorkflowsByPk: { id: string } | null };

export type SetTaskStateMutationVariables = Exact<{
  id: string;
  state: string;
}>;


export type SetTaskStateMutation = { updateRightsRequestTasksByPk: { id: string } | null };

export type AttachDocumentMutationVariables = Exact<{
  object: RightsRequestDocuments_Insert_Input;
}>;


export type AttachDocumentMutation = { insertRightsRequestDocument: { id: string } | null };

export type RemoveDocumentMutationVariables = Exact<{
  id: string;
}>;


export type RemoveDocumentMutation = { deleteRightsRequestDocument: { id: string } | null };

export type RunErasureMutationVariables = Exact<{
  id: string;
}>;


export type RunErasureMutation = { runErasure: { message: string, result: string } };

export type SendMessageMutationVariables = Exact<{
  person: string;
  title: string;
  body: string;
}>;


export type SendMessageMutation = { insertNotificationMessage: { id: string } | null };

export type EnterRequestMutationVariables = Exact<{
  object: DataSubjectsRightsRequests_Insert_Input;
}>;


export type EnterRequestMutation = { insertDataSubjectsRightsRequest: { id: string } | null };

export type PeopleQueryVariables = Exact<{
  where: DataSubjects_Bool_Exp;
  limit: number;
  offset: number;
}>;


export type PeopleQuery = { dataSubjects: Array<{ id: string, did: string, displayName: string | null, email: string | null, country: string | null, language: string, createdAt: string, openRequests: { aggregate: { count: number } | null } }>, dataSubjectsAggregate: { aggregate: { count: number } | null } };

export type PersonQueryVariables = Exact<{
  id: string;
}>;


export type PersonQuery = { dataSubject: { id: string, did: string, displayName: string | null, email: string | null, country: string | null, language: string, doNotTrack: boolean, globalPrivacyControl: boolean, createdAt: string, updatedAt: string, rightsRequests: Array<{ id: string, requestType: string, status: string, createdAt: string, closedAt: string | null, workflow: { dueAt: string, isOverdue: boolean | null } | null }>, activityCount: { aggregate: { count: number } | null }, consents: Array<ConsentFragment> } | null };

export type ConsentFragment = { id: string, value: string, givenBy: string, form: string, purposeVersion: number, textDigest: string | null, shownText: string | null, createdAt: string, updatedAt: string, givenByUser: { displayName: string } | null, privacyNotice: { id: string, version: number, language: string, title: string } | null, purpose: { id: string, title: string, status: string, version: number } | null, dataSubjectConsentHistory: Array<{ id: string, value: string, givenBy: string, form: string, purposeVersion: number, shownText: string | null, validFrom: string, replacedAt: string, givenByUser: { displayName: string } | null, privacyNotice: { version: number } | null }> };

export type ConsentPurposesQueryVariables = Exact<{
  controller: string;
}>;


export type ConsentPurposesQuery = { dataControllerProcessingPurposes: Array<{ id: string, title: string, description: string }> };

export type SaveConsentsMutationVariables = Exact<{
  controller: string;
  person: string;
  purposes: unknown;
  form: string;
}>;


export type SaveConsentsMutation = { upsertDataSubjectConsents: { message: string, data: { upsertedCount: number, leftOff: Array<string> } | null } };

export type PersonDataQueryVariables = Exact<{
  id: string;
}>;


export type PersonDataQuery = { dataSubjectDataMapping: Array<{ dataItemId: string | null, dataItemLabel: string | null, dataItemLabels: unknown, isSpecial: boolean | null, originLabel: string | null, originLabels: unknown, recordedAt: string | null, purposeTitle: string | null, legalBasis: string | null, retentionMonths: number | null, processors: Array<string> | null }> };

export type PersonActivitiesQueryVariables = Exact<{
  id: string;
  limit: number;
  offset: number;
}>;


export type PersonActivitiesQuery = { dataProcessingActivities: Array<{ id: string, triggeredAt: string, recordedBy: string, type: { label: string, labels: unknown }, source: { label: string, labels: unknown } }> };

export type PersonMessagesQueryVariables = Exact<{
  id: string;
}>;


export type PersonMessagesQuery = { notificationMessages: Array<{ id: string, kind: string, title: string, body: string, isRead: boolean, createdAt: string }> };

export type ExportPersonQueryVariables = Exact<{
  id: string;
}>;


export type ExportPersonQuery = { exportDataSubjectData: { json: unknown, html: string } };

export type UpdatePersonMutationVariables = Exact<{
  id: string;
  set: DataSubjects_Set_Input;
}>;


export type UpdatePersonMutation = { updateDataSubject: { id: string } | null };

export type CreatePersonMutationVariables = Exact<{
  controller: string;
  payload: DataSubjectPayload;
}>;


export type CreatePersonMutation = { createDataSubject: { dataSubjectId: string } };

export type DeletePersonMutationVariables = Exact<{
  id: string;
}>;


export type DeletePersonMutation = { deleteDataSubject: { id: string } | null };

export type TeamQueryVariables = Exact<{
  controller: string;
}>;


export type TeamQuery = { dataControllerUsers: Array<{ id: string, userId: string, role: string, status: string, createdAt: string, user: { id: string, displayName: string, email: string, lastSeenAt: string | null } | null }> };

export type SetMemberMutationVariables = Exact<{
  id: string;
  set: DataControllerUsers_Set_Input;
}>;


export type SetMemberMutation = { updateDataControllerUser: { id: string } | null };

export type RemoveMemberMutationVariables = Exact<{
  id: string;
}>;


export type RemoveMemberMutation = { deleteDataControllerUser: { id: string } | null };

export type TokensQueryVariables = Exact<{ [key: string]: never; }>;


export type TokensQuery = { personalAccessTokens: Array<{ id: string | null, name: string | null, roles: Array<string> | null, createdAt: string | null, expiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null }> };

export type CreateTokenMutationVariables = Exact<{
  name: string;
  expiresAt?: string | null | undefined;
}>;


export type CreateTokenMutation = { createPersonalAccessToken: { id: string | null, personalAccessToken: string | null, expiresAt: string | null } | null };

export type RevokeTokenMutationVariables = Exact<{
  id: string;
}>;


export type RevokeTokenMutation = { revokePersonalAccessToken: boolean | null };

export type NoticesQueryVariables = Exact<{
  controller: string;
}>;


export type NoticesQuery = { privacyNotices: Array<{ id: string, title: string, version: number, language: string, quickLook: string, overview: string, full: string, published: boolean, publishedAt: string | null, createdAt: string, updatedAt: string }> };

export type CreateNoticeMutationVariables = Exact<{
  object: PrivacyNotices_Insert_Input;
}>;


export type CreateNoticeMutation = { insertPrivacyNotice: { id: string } | null };

export type UpdateNoticeMutationVariables = Exact<{
  id: string;
  set: PrivacyNotices_Set_Input;
}>;


export type UpdateNoticeMutation = { updatePrivacyNotice: { id: string } | null };

export type DeleteNoticeMutationVariables = Exact<{
  id: string;
}>;


export type DeleteNoticeMutation = { deletePrivacyNotice: { id: string } | null };

export type FaqsQueryVariables = Exact<{
  controller: string;
}>;


export type FaqsQuery = { dataControllerFaqs: Array<{ id: string, category: string, question: string, answer: string, position: number, published: boolean, updatedAt: string }> };

export type CreateFaqMutationVariables = Exact<{
  object: DataControllerFaqs_Insert_Input;
}>;


export type CreateFaqMutation = { insertDataControllerFaq: { id: string } | null };

export type UpdateFaqMutationVariables = Exact<{
  id: string;
  set: DataControllerFaqs_Set_Input;
}>;


export type UpdateFaqMutation = { updateDataControllerFaq: { id: string } | null };

export type DeleteFaqMutationVariables = Exact<{
  id: string;
}>;


export type DeleteFaqMutation = { deleteDataControllerFaq: { id: string } | null };

export type PurposesQueryVariables = Exact<{
  controller: string;
}>;


export type PurposesQuery = { dataControllerProcessingPurposes: Array<{ id: string, title: string, description: string, legalBasis: string, consentRequired: boolean, retentionMonths: number | null, status: string, position: number, version: number, replacesId: string | null, respectsGlobalPrivacyControl: boolean, dataItems: Array<{ id: string, label: string, category: string, isSpecial: boolean, isRequired: boolean }>, processors: Array<{ accessLevel: string, processor: { id: string, title: string } }> }> };

export type CreatePurposeMutationVariables = Exact<{
  object: DataControllerProcessingPurposes_Insert_Input;
}>;


export type CreatePurposeMutation = { insertDataControllerProcessingPurpose: { id: string } | null };

export type UpdatePurposeMutationVariables = Exact<{
  id: string;
  set: DataControllerProcessingPurposes_Set_Input;
}>;


export type UpdatePurposeMutation = { updateDataControllerProcessingPurpose: { id: string } | null };

export type DeletePurposeMutationVariables = Exact<{
  id: string;
}>;


export type DeletePurposeMutation = { deleteDataControllerProcessingPurpose: { id: string } | null };

export type AddDataItemMutationVariables = Exact<{
  object: DataControllerPurposeDataItems_Insert_Input;
}>;


export type AddDataItemMutation = { insertDataControllerPurposeDataItem: { id: string } | null };

export type RemoveDataItemMutationVariables = Exact<{
  id: string;
}>;


export type RemoveDataItemMutation = { deleteDataControllerPurposeDataItem: { id: string } | null };

export type InvitationsQueryVariables = Exact<{
  controller: string;
}>;


export type InvitationsQuery = { teamInvitations: Array<{ id: string, dataControllerUserId: string, email: string, displayName: string | null, locale: string, sentAt: string, sentCount: number, membership: { role: string } | null }> };

export type InviteMemberMutationVariables = Exact<{
  controller: string;
  email: string;
  role: string;
  displayName?: string | null | undefined;
  locale?: string | null | undefined;
}>;


export type InviteMemberMutation = { inviteTeamMember: { status: string, message: string } };

export type RequestChangesQueryVariables = Exact<{
  id: string;
}>;


export type RequestChangesQuery = { rightsRequestChanges: Array<{ id: string, at: string, field: string, newValue: string | null, newAssignee: { displayName: string } | null, member: { displayName: string } | null }> };

export type TeamEventsQueryVariables = Exact<{
  controller: string;
  limit: number;
}>;


export type TeamEventsQuery = { teamAuthenticationEvents: Array<{ id: number | null, at: string | null, event: string | null, outcome: string | null, method: string | null, reason: string | null, user: { displayName: string } | null, dataSubject: { id: string, displayName: string | null, email: string | null } | null }> };

export type OwnEventsQueryVariables = Exact<{ [key: string]: never; }>;


export type OwnEventsQuery = { authenticationEvents: Array<{ id: number | null, at: string | null, event: string | null, outcome: string | null, method: string | null, reason: string | null, address: string | null }> };

export type IntegrationsQueryVariables = Exact<{
  controller: string;
}>;


export type IntegrationsQuery = { integrationServices: Array<{ service: string | null, labels: unknown, verification: string | null, managesKeys: boolean | null, path: string | null, connected: boolean | null, lastReceivedAt: string | null, deliveries: number | null, failed: number | null, waiting: number | null, validKeys: number | null }> };

export type IntegrationKeysQueryVariables = Exact<{
  controller: string;
}>;


export type IntegrationKeysQuery = { integrationKeys: Array<{ id: string | null, service: string | null, name: string | null, hint: string | null, createdAt: string | null, revokedAt: string | null, creator: { displayName: string } | null }> };

export type CreateIntegrationKeyMutationVariables = Exact<{
  controller: string;
  service: string;
  name: string;
}>;


export type CreateIntegrationKeyMutation = { createIntegrationKey: { id: string, service: string, secret: string, path: string } };

export type RevokeIntegrationKeyMutationVariables = Exact<{
  id: string;
}>;


export type RevokeIntegrationKeyMutation = { revokeIntegrationKey: { status: string, message: string } };

export type DeliveriesQueryVariables = Exact<{
  where: WebhookDeliveries_Bool_Exp;
  limit: number;
  offset: number;
}>;


export type DeliveriesQuery = { webhookDeliveries: Array<{ id: string | null, service: string | null, receivedAt: string | null, processedAt: string | null, state: string | null, attempts: number | null, lastError: string | null }> };

export type ReplayDeliveryMutationVariables = Exact<{
  id: string;
}>;


export type ReplayDeliveryMutation = { replayDelivery: { status: string, message: string } };

export type ConsentListQueryVariables = Exact<{
  where: DataSubjectConsentFormValues_Bool_Exp;
  limit: number;
  offset: number;
}>;


export type ConsentListQuery = { dataSubjectConsentFormValues: Array<{ id: string, value: string, givenBy: string, form: string, purposeVersion: number, updatedAt: string, purpose: { title: string } | null, dataSubject: { id: string, displayName: string | null, email: string | null } | null }>, dataSubjectConsentFormValuesAggregate: { aggregate: { count: number } | null } };

export const LiveRequests: GraphqlDocument<LiveRequestsSubscription, LiveRequestsSubscriptionVariables> = { role: "user", text: "subscription LiveRequests($where:rightsRequestWorkflows_bool_exp!$orderBy:[rightsRequestWorkflows_order_by!]$limit:Int!$offset:Int!){rightsRequestWorkflows(where:$where orderBy:$orderBy limit:$limit offset:$offset){...RequestRow}}fragment RequestRow on RightsRequestWorkflow{id state dueAt isOverdue assignedTo extendedAt closedAt assignee{id displayName}dataSubject{id displayName email}request{id requestType status channel verified createdAt closedAt}}" };

export const CountRequests: GraphqlDocument<CountRequestsQuery, CountRequestsQueryVariables> = { role: "user", text: "query CountRequests($where:rightsRequestWorkflows_bool_exp!){rightsRequestWorkflowsAggregate(where:$where){aggregate{count}}}" };

export const RequestCounts: GraphqlDocument<RequestCountsQuery, RequestCountsQueryVariables> = { role: "user", text: "query RequestCounts($overdue:rightsRequestWorkflows_bool_exp!$week:rightsRequestWorkflows_bool_exp!$mine:rightsRequestWorkflows_bool_exp!$unassigned:rightsRequestWorkflows_bool_exp!$unverified:rightsRequestWorkflows_bool_exp!$open:rightsRequestWorkflows_bool_exp!){overdue:rightsRequestWorkflowsAggregate(where:$overdue){aggregate{count}}week:rightsRequestWorkflowsAggregate(where:$week){aggregate{count}}mine:rightsRequestWorkflowsAggregate(where:$mine){aggregate{count}}unassigned:rightsRequestWorkflowsAggregate(where:$unassigned){aggregate{count}}unverified:rightsRequestWorkflowsAggregate(where:$unverified){aggregate{count}}open:rightsRequestWorkflowsAggregate(where:$open){aggregate{count}}}" };

export const LiveReminders: GraphqlDocument<LiveRemindersSubscription, LiveRemindersSubscriptionVariables> = { role: "user", text: "subscription LiveReminders($controller:uuid!){teamReminders(where:{isRead:{_eq:false}dataSubject:{dataControllerId:{_eq:$controller}}}orderBy:{createdAt:desc}limit:20){id kind createdAt workflow{id dueAt dataSubjectRightsRequestId}dataSubject{displayName email}}}" };

export const ReadReminder: GraphqlDocument<ReadReminderMutation, ReadReminderMutationVariables> = { role: "user", text: "mutation ReadReminder($id:uuid!){updateTeamRemindersByPk(pk_columns:{id:$id}_set:{isRead:true}){id}}" };

export const RequestStatistics: GraphqlDocument<RequestStatisticsQuery, RequestStatisticsQueryVariables> = { role: "user", text: "query RequestStatistics($controller:uuid!$since:timestamptz!){byWeek:dataSubjectsRightsRequestsGroup(by:[status]bucket:{createdAt:WEEK}where:{createdAt:{_gte:$since}dataSubject:{dataControllerId:{_eq:$controller}}}){key{createdAt status}aggregate{count}}answered:dataSubjectsRightsRequests(where:{status:{_in:[\"completed\" \"rejected\"]}closedAt:{_gte:$since}dataSubject:{dataControllerId:{_eq:$controller}}}orderBy:{closedAt:asc}limit:1000){id createdAt closedAt requestType workflow{dueAt}}}" };

export const ConsentStatistics: GraphqlDocument<ConsentStatisticsQuery, ConsentStatisticsQueryVariables> = { role: "user", text: "query ConsentStatistics($controller:uuid!$since:timestamptz!){purposes:dataControllerProcessingPurposes(where:{dataControllerId:{_eq:$controller}consentRequired:{_eq:true}status:{_neq:\"draft\"}}orderBy:{position:asc}){id title status}current:dataSubjectConsentFormValuesGroup(by:[dataControllerProcessingPurposeId value]where:{dataSubject:{dataControllerId:{_eq:$controller}}}){key{dataControllerProcessingPurposeId value}aggregate{count}}answers:dataSubjectConsentFormValuesGroup(by:[dataControllerProcessingPurposeId value]bucket:{updatedAt:MONTH}where:{updatedAt:{_gte:$since}dataSubject:{dataControllerId:{_eq:$controller}}}){key{updatedAt dataControllerProcessingPurposeId value}aggregate{count}}}" };

export const AssignRequests: GraphqlDocument<AssignRequestsMutation, AssignRequestsMutationVariables> = { role: "user", text: "mutation AssignRequests($ids:[uuid!]!$to:uuid){updateRightsRequestWorkflows(where:{id:{_in:$ids}}_set:{assignedTo:$to}){affected_rows}}" };

export const SetRequestsStatus: GraphqlDocument<SetRequestsStatusMutation, SetRequestsStatusMutationVariables> = { role: "user", text: "mutation SetRequestsStatus($ids:[uuid!]!$status:String!){updateDataSubjectsRightsRequests(where:{id:{_in:$ids}status:{_in:[\"submitted\" \"pending\"]}}_set:{status:$status}){affected_rows}}" };

export const LiveRequest: GraphqlDocument<LiveRequestSubscription, LiveRequestSubscriptionVariables> = { role: "user", text: "subscription LiveRequest($id:uuid!){dataSubjectsRightsRequest(id:$id){id requestType status channel description contactEmail contactVerifiedAt verified verifiedAt identityEvidence erasedAt result rejectionReason createdAt closedAt verifier{displayName}closer{displayName}dataSubject{id displayName email language}documents(orderBy:{createdAt:asc}){id title mediaType createdAt author{displayName}}workflow{id state dueAt isOverdue assignedTo extendedAt extensionReason closedAt assignee{id displayName}tasks(orderBy:{position:asc}){id code titles state dueAt doneAt member{displayName}}}}}" };

export const RequestMessages: GraphqlDocument<RequestMessagesQuery, RequestMessagesQueryVariables> = { role: "user", text: "query RequestMessages($person:uuid!$since:timestamptz!){notificationMessages(where:{dataSubjectId:{_eq:$person}createdAt:{_gte:$since}}orderBy:{createdAt:desc}limit:50){id title body isRead createdAt}}" };

export const RequestDocument: GraphqlDocument<RequestDocumentQuery, RequestDocumentQueryVariables> = { role: "user", text: "query RequestDocument($id:uuid!){rightsRequestDocument(id:$id){title mediaType content}}" };

export const UpdateRequest: GraphqlDocument<UpdateRequestMutation, UpdateRequestMutationVariables> = { role: "user", text: "mutation UpdateRequest($id:uuid!$set:dataSubjectsRightsRequests_set_input!){updateDataSubjectsRightsRequest(pk_columns:{id:$id}_set:$set){id}}" };

export const UpdateWorkflow: GraphqlDocument<UpdateWorkflowMutation, UpdateWorkflowMutationVariables> = { role: "user", text: "mutation UpdateWorkflow($id:uuid!$set:rightsRequestWorkflows_set_input!){updateRightsRequestWorkflowsByPk(pk_columns:{id:$id}_set:$set){id}}" };

export const SetTaskState: GraphqlDocument<SetTaskStateMutation, SetTaskStateMutationVariables> = { role: "user", text: "mutation SetTaskState($id:uuid!$state:String!){updateRightsRequestTasksByPk(pk_columns:{id:$id}_set:{state:$state}){id}}" };

export const AttachDocument: GraphqlDocument<AttachDocumentMutation, AttachDocumentMutationVariables> = { role: "user", text: "mutation AttachDocument($object:rightsRequestDocuments_insert_input!){insertRightsRequestDocument(object:$object){id}}" };

export const RemoveDocument: GraphqlDocument<RemoveDocumentMutation, RemoveDocumentMutationVariables> = { role: "user", text: "mutation RemoveDocument($id:uuid!){deleteRightsRequestDocument(id:$id){id}}" };

export const RunErasure: GraphqlDocument<RunErasureMutation, RunErasureMutationVariables> = { role: "user", text: "mutation RunErasure($id:uuid!){runErasure(rightsRequestId:$id){message result}}" };

export const SendMessage: GraphqlDocument<SendMessageMutation, SendMessageMutationVariables> = { role: "user", text: "mutation SendMessage($person:uuid!$title:String!$body:String!){insertNotificationMessage(object:{dataSubjectId:$person kind:\"rights_request\" title:$title body:$body}){id}}" };

export const EnterRequest: GraphqlDocument<EnterRequestMutation, EnterRequestMutationVariables> = { role: "user", text: "mutation EnterRequest($object:dataSubjectsRightsRequests_insert_input!){insertDataSubjectsRightsRequest(object:$object){id}}" };

export const People: GraphqlDocument<PeopleQuery, PeopleQueryVariables> = { role: "user", text: "query People($where:dataSubjects_bool_exp!$limit:Int!$offset:Int!){dataSubjects(where:$where orderBy:[{displayName:asc_nulls_last}{id:asc}]limit:$limit offset:$offset){id did displayName email country language createdAt openRequests:rightsRequestsAggregate(where:{closedAt:{_is_null:true}}){aggregate{count}}}dataSubjectsAggregate(where:$where){aggregate{count}}}" };

export const Person: GraphqlDocument<PersonQuery, PersonQueryVariables> = { role: "user", text: "query Person($id:uuid!){dataSubject(id:$id){id did displayName email country language doNotTrack globalPrivacyControl createdAt updatedAt rightsRequests(orderBy:{createdAt:desc}){id requestType status createdAt closedAt workflow{dueAt isOverdue}}activityCount:dataProcessingActivitiesAggregate{aggregate{count}}consents(orderBy:{updatedAt:desc}){...Consent}}}fragment Consent on ConsentFormValue{id value givenBy form purposeVersion textDigest shownText createdAt updatedAt givenByUser{displayName}privacyNotice{id version language title}purpose{id title status version}dataSubjectConsentHistory(orderBy:{replacedAt:desc}){id value givenBy form purposeVersion shownText validFrom replacedAt givenByUser{displayName}privacyNotice{version}}}" };

export const ConsentPurposes: GraphqlDocument<ConsentPurposesQuery, ConsentPurposesQueryVariables> = { role: "user", text: "query ConsentPurposes($controller:uuid!){dataControllerProcessingPurposes(where:{dataControllerId:{_eq:$controller}consentRequired:{_eq:true}status:{_eq:\"active\"}}orderBy:{position:asc}){id title description}}" };

export const SaveConsents: GraphqlDocument<SaveConsentsMutation, SaveConsentsMutationVariables> = { role: "user", text: "mutation SaveConsents($controller:uuid!$person:uuid!$purposes:jsonb!$form:String!){upsertDataSubjectConsents(dataControllerId:$controller dataSubjectId:$person purposes:$purposes form:$form){message data{upsertedCount leftOff}}}" };

export const PersonData: GraphqlDocument<PersonDataQuery, PersonDataQueryVariables> = { role: "user", text: "query PersonData($id:uuid!){dataSubjectDataMapping(where:{dataSubjectId:{_eq:$id}}orderBy:[{dataItemLabel:asc}{purposeTitle:asc}]){dataItemId dataItemLabel dataItemLabels isSpecial originLabel originLabels recordedAt purposeTitle legalBasis retentionMonths processors}}" };

export const PersonActivities: GraphqlDocument<PersonActivitiesQuery, PersonActivitiesQueryVariables> = { role: "user", text: "query PersonActivities($id:uuid!$limit:Int!$offset:Int!){dataProcessingActivities(where:{dataSubjectId:{_eq:$id}}orderBy:{triggeredAt:desc}limit:$limit offset:$offset){id triggeredAt recordedBy type{label labels}source{label labels}}}" };

export const PersonMessages: GraphqlDocument<PersonMessagesQuery, PersonMessagesQueryVariables> = { role: "user", text: "query PersonMessages($id:uuid!){notificationMessages(where:{dataSubjectId:{_eq:$id}}orderBy:{createdAt:desc}limit:100){id kind title body isRead createdAt}}" };

export const ExportPerson: GraphqlDocument<ExportPersonQuery, ExportPersonQueryVariables> = { role: "user", text: "query ExportPerson($id:uuid!){exportDataSubjectData(dataSubjectId:$id){json html}}" };

export const UpdatePerson: GraphqlDocument<UpdatePersonMutation, UpdatePersonMutationVariables> = { role: "user", text: "mutation UpdatePerson($id:uuid!$set:dataSubjects_set_input!){updateDataSubject(pk_columns:{id:$id}_set:$set){id}}" };

export const CreatePerson: GraphqlDocument<CreatePersonMutation, CreatePersonMutationVariables> = { role: "user", text: "mutation CreatePerson($controller:uuid!$payload:DataSubjectPayload!){createDataSubject(input:{event:\"data_subject.create\" dataControllerId:$controller payload:$payload}){dataSubjectId}}" };

export const DeletePerson: GraphqlDocument<DeletePersonMutation, DeletePersonMutationVariables> = { role: "user", text: "mutation DeletePerson($id:uuid!){deleteDataSubject(id:$id){id}}" };

export const Team: GraphqlDocument<TeamQuery, TeamQueryVariables> = { role: "user", text: "query Team($controller:uuid!){dataControllerUsers(where:{dataControllerId:{_eq:$controller}}orderBy:{createdAt:asc}){id userId role status createdAt user{id displayName email lastSeenAt}}}" };

export const SetMember: GraphqlDocument<SetMemberMutation, SetMemberMutationVariables> = { role: "user", text: "mutation SetMember($id:uuid!$set:dataControllerUsers_set_input!){updateDataControllerUser(pk_columns:{id:$id}_set:$set){id}}" };

export const RemoveMember: GraphqlDocument<RemoveMemberMutation, RemoveMemberMutationVariables> = { role: "user", text: "mutation RemoveMember($id:uuid!){deleteDataControllerUser(id:$id){id}}" };

export const Tokens: GraphqlDocument<TokensQuery, TokensQueryVariables> = { role: "user", text: "query Tokens{personalAccessTokens(orderBy:{createdAt:desc}){id name roles createdAt expiresAt lastUsedAt revokedAt}}" };

export const CreateToken: GraphqlDocument<CreateTokenMutation, CreateTokenMutationVariables> = { role: "user", text: "mutation CreateToken($name:String!$expiresAt:timestamptz){createPersonalAccessToken(args:{name:$name expiresAt:$expiresAt}){id personalAccessToken expiresAt}}" };

export const RevokeToken: GraphqlDocument<RevokeTokenMutation, RevokeTokenMutationVariables> = { role: "user", text: "mutation RevokeToken($id:uuid!){revokePersonalAccessToken(args:{id:$id})}" };

export const Notices: GraphqlDocument<NoticesQuery, NoticesQueryVariables> = { role: "user", text: "query Notices($controller:uuid!){privacyNotices(where:{dataControllerId:{_eq:$controller}}orderBy:[{version:desc}]){id title version language quickLook overview full published publishedAt createdAt updatedAt}}" };

export const CreateNotice: GraphqlDocument<CreateNoticeMutation, CreateNoticeMutationVariables> = { role: "user", text: "mutation CreateNotice($object:privacyNotices_insert_input!){insertPrivacyNotice(object:$object){id}}" };

export const UpdateNotice: GraphqlDocument<UpdateNoticeMutation, UpdateNoticeMutationVariables> = { role: "user", text: "mutation UpdateNotice($id:uuid!$set:privacyNotices_set_input!){updatePrivacyNotice(pk_columns:{id:$id}_set:$set){id}}" };

export const DeleteNotice: GraphqlDocument<DeleteNoticeMutation, DeleteNoticeMutationVariables> = { role: "user", text: "mutation DeleteNotice($id:uuid!){deletePrivacyNotice(id:$id){id}}" };

export const Faqs: GraphqlDocument<FaqsQuery, FaqsQueryVariables> = { role: "user", text: "query Faqs($controller:uuid!){dataControllerFaqs(where:{dataControllerId:{_eq:$controller}}orderBy:[{category:asc}{position:asc}]){id category question answer position published updatedAt}}" };

export const CreateFaq: GraphqlDocument<CreateFaqMutation, CreateFaqMutationVariables> = { role: "user", text: "mutation CreateFaq($object:dataControllerFaqs_insert_input!){insertDataControllerFaq(object:$object){id}}" };

export const UpdateFaq: GraphqlDocument<UpdateFaqMutation, UpdateFaqMutationVariables> = { role: "user", text: "mutation UpdateFaq($id:uuid!$set:dataControllerFaqs_set_input!){updateDataControllerFaq(pk_columns:{id:$id}_set:$set){id}}" };

export const DeleteFaq: GraphqlDocument<DeleteFaqMutation, DeleteFaqMutationVariables> = { role: "user", text: "mutation DeleteFaq($id:uuid!){deleteDataControllerFaq(id:$id){id}}" };

export const Purposes: GraphqlDocument<PurposesQuery, PurposesQueryVariables> = { role: "user", text: "query Purposes($controller:uuid!){dataControllerProcessingPurposes(where:{dataControllerId:{_eq:$controller}}orderBy:[{position:asc}{createdAt:asc}]){id title description legalBasis consentRequired retentionMonths status position version replacesId respectsGlobalPrivacyControl dataItems(orderBy:{label:asc}){id label category isSpecial isRequired}processors{accessLevel processor{id title}}}}" };

export const CreatePurpose: GraphqlDocument<CreatePurposeMutation, CreatePurposeMutationVariables> = { role: "user", text: "mutation CreatePurpose($object:dataControllerProcessingPurposes_insert_input!){insertDataControllerProcessingPurpose(object:$object){id}}" };

export const UpdatePurpose: GraphqlDocument<UpdatePurposeMutation, UpdatePurposeMutationVariables> = { role: "user", text: "mutation UpdatePurpose($id:uuid!$set:dataControllerProcessingPurposes_set_input!){updateDataControllerProcessingPurpose(pk_columns:{id:$id}_set:$set){id}}" };

export const DeletePurpose: GraphqlDocument<DeletePurposeMutation, DeletePurposeMutationVariables> = { role: "user", text: "mutation DeletePurpose($id:uuid!){deleteDataControllerProcessingPurpose(id:$id){id}}" };

export const AddDataItem: GraphqlDocument<AddDataItemMutation, AddDataItemMutationVariables> = { role: "user", text: "mutation AddDataItem($object:dataControllerPurposeDataItems_insert_input!){insertDataControllerPurposeDataItem(object:$object){id}}" };

export const RemoveDataItem: GraphqlDocument<RemoveDataItemMutation, RemoveDataItemMutationVariables> = { role: "user", text: "mutation RemoveDataItem($id:uuid!){deleteDataControllerPurposeDataItem(id:$id){id}}" };

export const Invitations: GraphqlDocument<InvitationsQuery, InvitationsQueryVariables> = { role: "user", text: "query Invitations($controller:uuid!){teamInvitations(where:{dataControllerId:{_eq:$controller}}){id dataControllerUserId email displayName locale sentAt sentCount membership{role}}}" };

export const InviteMember: GraphqlDocument<InviteMemberMutation, InviteMemberMutationVariables> = { role: "user", text: "mutation InviteMember($controller:uuid!$email:String!$role:String!$displayName:String$locale:String){inviteTeamMember(dataControllerId:$controller email:$email role:$role displayName:$displayName locale:$locale){status message}}" };

export const RequestChanges: GraphqlDocument<RequestChangesQuery, RequestChangesQueryVariables> = { role: "user", text: "query RequestChanges($id:uuid!){rightsRequestChanges(where:{dataSubjectRightsRequestId:{_eq:$id}}orderBy:{at:asc}){id at field newValue newAssignee{displayName}member{displayName}}}" };

export const TeamEvents: GraphqlDocument<TeamEventsQuery, TeamEventsQueryVariables> = { role: "user", text: "query TeamEvents($controller:uuid!$limit:Int!){teamAuthenticationEvents(where:{dataControllerId:{_eq:$controller}}orderBy:{at:desc}limit:$limit){id at event outcome method reason user{displayName}dataSubject{id displayName email}}}" };

export const OwnEvents: GraphqlDocument<OwnEventsQuery, OwnEventsQueryVariables> = { role: "user", text: "query OwnEvents{authenticationEvents(limit:100){id at event outcome method reason address}}" };

export const Integrations: GraphqlDocument<IntegrationsQuery, IntegrationsQueryVariables> = { role: "user", text: "query Integrations($controller:uuid!){integrationServices(where:{dataControllerId:{_eq:$controller}}orderBy:{service:asc}){service labels verification managesKeys path connected lastReceivedAt deliveries failed waiting validKeys}}" };

export const IntegrationKeys: GraphqlDocument<IntegrationKeysQuery, IntegrationKeysQueryVariables> = { role: "user", text: "query IntegrationKeys($controller:uuid!){integrationKeys(where:{dataControllerId:{_eq:$controller}}orderBy:{createdAt:desc}){id service name hint createdAt revokedAt creator{displayName}}}" };

export const CreateIntegrationKey: GraphqlDocument<CreateIntegrationKeyMutation, CreateIntegrationKeyMutationVariables> = { role: "user", text: "mutation CreateIntegrationKey($controller:uuid!$service:String!$name:String!){createIntegrationKey(dataControllerId:$controller service:$service name:$name){id service secret path}}" };

export const RevokeIntegrationKey: GraphqlDocument<RevokeIntegrationKeyMutation, RevokeIntegrationKeyMutationVariables> = { role: "user", text: "mutation RevokeIntegrationKey($id:uuid!){revokeIntegrationKey(id:$id){status message}}" };

export const Deliveries: GraphqlDocument<DeliveriesQuery, DeliveriesQueryVariables> = { role: "user", text: "query Deliveries($where:webhookDeliveries_bool_exp!$limit:Int!$offset:Int!){webhookDeliveries(where:$where orderBy:{receivedAt:desc}limit:$limit offset:$offset){id service receivedAt processedAt state attempts lastError}}" };

export const ReplayDelivery: GraphqlDocument<ReplayDeliveryMutation, ReplayDeliveryMutationVariables> = { role: "user", text: "mutation ReplayDelivery($id:uuid!){replayDelivery(deliveryId:$id){status message}}" };

export const ConsentList: GraphqlDocument<ConsentListQuery, ConsentListQueryVariables> = { role: "user", text: "query ConsentList($where:dataSubjectConsentFormValues_bool_exp!$limit:Int!$offset:Int!){dataSubjectConsentFormValues(where:$where orderBy:[{updatedAt:desc}{id:asc}]limit:$limit offset:$offset){id value givenBy form purposeVersion updatedAt purpose{title}dataSubject{id displayName email}}dataSubjectConsentFormValuesAggregate(where:$where){aggregate{count}}}" };
