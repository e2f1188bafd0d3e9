/** A question the user answers in a form of the client's. */
export type ElicitRequestFormParams = {
  /** Absent means form. */
  mode?: "form" | undefined;
  /** What is asked and why, for a person to read. */
  message: string;
  requestedSchema: FormSchema;
};

/** A page the user is asked to open; nothing the user does there passes through the client. */
export type ElicitRequestURLParams = {
  mode: "url";
  /** Why the page has to be opened, for a person to read. */
  message: string;
  url: string;
};

/** Asks the user something. Specification: client/elicitation. */
export interface ElicitRequest {
  method: "elicitation/create";
  params: ElicitRequestFormParams | ElicitRequestURLParams;
}

/** What came of asking the user. `content` belongs to an accepted form alone. */
export type ElicitResult = {
  action: "accept" | "decline" | "cancel";
  content?: FormContent | undefined;
};

/** A value a form can give. */
export type FormValue = string | number | boolean | string[];

/** What the user filled in. */
export type FormContent = { [field: string]: FormValue };

/** The protocol's flat subset of JSON Schema: an object of primitive fields. */
export type FormSchema = {
  $schema?: string | undefined;
  type: "object";
  properties: { [field: string]: PrimitiveSchema };
  required?: string[] | undefined;
};

/** One field of a form. */
export type PrimitiveSchema = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** A text field. Lengths count code points. */
export interface StringSchema {
  type: "string";
  title?: string | undefined;
  description?: string | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  format?: "email" | "uri" | "date" | "date-time" | undefined;
  default?: string | undefined;
}

/** A number field. */
export interface NumberSchema {
  type: "number" | "integer";
  title?: string | undefined;
  description?: string | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  default?: number | undefined;
}

/** A yes or no. */
export interface BooleanSchema {
  type: "boolean";
  title?: string | undefined;
  description?: string | undefined;
  default?: boolean | undefined;
}

/** One of several values. */
export interface UntitledSingleSelectEnumSchema {
  type: "string";
  title?: string | undefined;
  description?: string | undefined;
  enum: string[];
  default?: string | undefined;
}

/** One of several values, each with a label. */
export interface TitledSingleSelectEnumSchema {
  type: "string";
  title?: string | undefined;
  description?: string | undefined;
  oneOf: TitledOption[];
  default?: string | undefined;
}

/** Any number of several values. */
export interface UntitledMultiSelectEnumSchema {
  type: "array";
  title?: string | undefined;
  description?: string | undefined;
  minItems?: number | undefined;
  maxItems?: number | undefined;
  items: { type: "string"; enum: string[] };
  default?: string[] | undefined;
}

/** Any number of several values, each with a label. */
export interface TitledMultiSelectEnumSchema {
  type: "array";
  title?: string | undefined;
  description?: string | undefined;
  minItems?: number | undefined;
  maxItems?: number | undefined;
  items: { anyOf: TitledOption[] };
  default?: string[] | undefined;
}

/** One of several values with labels beside them, as earlier revisions wrote it. */
export interface LegacyTitledEnumSchema {
  type: "string";
  title?: string | undefined;
  description?: string | undefined;
  enum: string[];
  enumNames?: string[] | undefined;
  default?: string | undefined;
}

/** A value and what the user sees for it. */
export interface TitledOption {
  const: string;
  title: string;
}

/** A choice. */
export type EnumSchema =
  | UntitledSingleSelectEnumSchema
  | TitledSingleSelectEnumSchema
  | UntitledMultiSelectEnumSchema
  | TitledMultiSelectEnumSchema
  | LegacyTitledEnumSchema;
