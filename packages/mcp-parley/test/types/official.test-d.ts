import type * as Client from "@modelcontextprotocol/client";
import type * as Server from "@modelcontextprotocol/server";
import { expectTypeOf, test } from "vitest";
import type * as Capabilities from "../../src/protocol/capabilities.js";
import type * as Content from "../../src/protocol/content.js";
import type * as Elicitation from "../../src/protocol/elicitation.js";
import type * as Features from "../../src/protocol/features.js";
import type * as Input from "../../src/protocol/input.js";
import type * as Rpc from "../../src/protocol/jsonrpc.js";
import type * as Notifications from "../../src/protocol/notifications.js";
import type * as Roots from "../../src/protocol/roots.js";
import type * as Sampling from "../../src/protocol/sampling.js";

// Each row: our type, the SDK server's, the SDK client's.

/** Types of which ours and the SDK's stand for each other. */
interface Shared {
  Annotations: [Content.Annotations, Server.Annotations, Client.Annotations];
  Icon: [Content.Icon, Server.Icon, Client.Icon];
  TextContent: [Content.TextContent, Server.TextContent, Client.TextContent];
  ImageContent: [Content.ImageContent, Server.ImageContent, Client.ImageContent];
  AudioContent: [Content.AudioContent, Server.AudioContent, Client.AudioContent];
  Resource: [Content.Resource, Server.Resource, Client.Resource];
  ResourceLink: [Content.ResourceLink, Server.ResourceLink, Client.ResourceLink];
  TextResourceContents: [
    Content.TextResourceContents,
    Server.TextResourceContents,
    Client.TextResourceContents,
  ];
  BlobResourceContents: [
    Content.BlobResourceContents,
    Server.BlobResourceContents,
    Client.BlobResourceContents,
  ];
  EmbeddedResource: [Content.EmbeddedResource, Server.EmbeddedResource, Client.EmbeddedResource];
  ContentBlock: [Content.ContentBlock, Server.ContentBlock, Client.ContentBlock];
  Implementation: [Features.Implementation, Server.Implementation, Client.Implementation];
  ToolAnnotations: [Features.ToolAnnotations, Server.ToolAnnotations, Client.ToolAnnotations];
  Tool: [Features.Tool, Server.Tool, Client.Tool];
  Prompt: [Features.Prompt, Server.Prompt, Client.Prompt];
  PromptArgument: [Features.PromptArgument, Server.PromptArgument, Client.PromptArgument];
  PromptMessage: [Features.PromptMessage, Server.PromptMessage, Client.PromptMessage];
  ResourceTemplateType: [
    Features.ResourceTemplate,
    Server.ResourceTemplateType,
    Client.ResourceTemplateType,
  ];
  DiscoverResult: [Features.DiscoverResult, Server.DiscoverResult, Client.DiscoverResult];
  ListToolsResult: [Features.ListToolsResult, Server.ListToolsResult, Client.ListToolsResult];
  ListPromptsResult: [
    Features.ListPromptsResult,
    Server.ListPromptsResult,
    Client.ListPromptsResult,
  ];
  ListResourcesResult: [
    Features.ListResourcesResult,
    Server.ListResourcesResult,
    Client.ListResourcesResult,
  ];
  ListResourceTemplatesResult: [
    Features.ListResourceTemplatesResult,
    Server.ListResourceTemplatesResult,
    Client.ListResourceTemplatesResult,
  ];
  CallToolResult: [Features.CallToolResult, Server.CallToolResult, Client.CallToolResult];
  GetPromptResult: [Features.GetPromptResult, Server.GetPromptResult, Client.GetPromptResult];
  ReadResourceResult: [
    Features.ReadResourceResult,
    Server.ReadResourceResult,
    Client.ReadResourceResult,
  ];
  CompleteResult: [Features.CompleteResult, Server.CompleteResult, Client.CompleteResult];
  ElicitRequestFormParams: [
    Elicitation.ElicitRequestFormParams,
    Server.ElicitRequestFormParams,
    Client.ElicitRequestFormParams,
  ];
  ElicitResult: [Elicitation.ElicitResult, Server.ElicitResult, Client.ElicitResult];
  FormSchema: [
    Elicitation.FormSchema,
    Server.ElicitRequestFormParams["requestedSchema"],
    Client.ElicitRequestFormParams["requestedSchema"],
  ];
  PrimitiveSchemaDefinition: [
    Elicitation.PrimitiveSchema,
    Server.PrimitiveSchemaDefinition,
    Client.PrimitiveSchemaDefinition,
  ];
  StringSchema: [Elicitation.StringSchema, Server.StringSchema, Client.StringSchema];
  NumberSchema: [Elicitation.NumberSchema, Server.NumberSchema, Client.NumberSchema];
  EnumSchema: [Elicitation.EnumSchema, Server.EnumSchema, Client.EnumSchema];
  CreateMessageRequest: [
    Sampling.CreateMessageRequest,
    Server.CreateMessageRequest,
    Client.CreateMessageRequest,
  ];
  CreateMessageResultWithTools: [
    Sampling.CreateMessageResult,
    Server.CreateMessageResultWithTools,
    Client.CreateMessageResultWithTools,
  ];
  SamplingMessage: [Sampling.SamplingMessage, Server.SamplingMessage, Client.SamplingMessage];
  SamplingMessageContentBlock: [
    Sampling.SamplingContentBlock,
    Server.SamplingMessageContentBlock,
    Client.SamplingMessageContentBlock,
  ];
  ListRootsRequest: [Roots.ListRootsRequest, Server.ListRootsRequest, Client.ListRootsRequest];
  ListRootsResult: [Roots.ListRootsResult, Server.ListRootsResult, Client.ListRootsResult];
  Root: [Roots.Root, Server.Root, Client.Root];
  JSONRPCRequest: [Rpc.JSONRPCRequest, Server.JSONRPCRequest, Client.JSONRPCRequest];
  JSONRPCNotification: [
    Rpc.JSONRPCNotification,
    Server.JSONRPCNotification,
    Client.JSONRPCNotification,
  ];
  JSONRPCResultResponse: [
    Rpc.JSONRPCResultResponse,
    Server.JSONRPCResultResponse,
    Client.JSONRPCResultResponse,
  ];
  JSONRPCErrorResponse: [
    Rpc.JSONRPCErrorResponse,
    Server.JSONRPCErrorResponse,
    Client.JSONRPCErrorResponse,
  ];
  ServerCapabilities: [
    Capabilities.ServerCapabilities,
    Server.ServerCapabilities,
    Client.ServerCapabilities,
  ];
  LoggingLevel: [Notifications.LoggingLevel, Server.LoggingLevel, Client.LoggingLevel];
  ProgressNotificationParams: [
    Notifications.ProgressNotificationParams,
    Server.ProgressNotificationParams,
    Client.ProgressNotificationParams,
  ];
  LoggingMessageNotificationParams: [
    Notifications.LoggingMessageNotificationParams,
    Server.LoggingMessageNotificationParams,
    Client.LoggingMessageNotificationParams,
  ];
}

/**
 * Types of which the SDK's stands for ours, and ours for the SDK's only in part: it still wants the
 * `elicitationId` of 2025 in a URL elicitation (and so in whatever may hold one), keeps sampling
 * with tools apart, and has no place for an undefined elicitation mode under
 * exactOptionalPropertyTypes.
 */
interface Narrower {
  ElicitRequestURLParams: [
    Elicitation.ElicitRequestURLParams,
    Server.ElicitRequestURLParams,
    Client.ElicitRequestURLParams,
  ];
  ElicitRequest: [Elicitation.ElicitRequest, Server.ElicitRequest, Client.ElicitRequest];
  CreateMessageResult: [
    Sampling.CreateMessageResult,
    Server.CreateMessageResult,
    Client.CreateMessageResult,
  ];
  InputRequest: [Input.InputRequest, Server.InputRequest, Client.InputRequest];
  InputRequests: [Input.InputRequests, Server.InputRequests, Client.InputRequests];
  InputResponse: [Input.InputResponse, Server.InputResponse, Client.InputResponse];
  InputRequiredResult: [
    Input.InputRequiredResult,
    Server.InputRequiredResult,
    Client.InputRequiredResult,
  ];
  ClientCapabilities: [
    Capabilities.ClientCapabilities,
    Server.ClientCapabilities,
    Client.ClientCapabilities,
  ];
}

/** Types of which ours stands for the SDK's: there the 2025 revisions left the id out. */
interface Wider {
  CancelledNotificationParams: [
    Notifications.CancelledNotificationParams,
    Server.CancelledNotificationParams,
    Client.CancelledNotificationParams,
  ];
}

/** Whether `From` may be given where `To` is wanted. An `any` would be given for everything. */
type Fits<From, To> = 0 extends 1 & From ? false : [From] extends [To] ? true : false;

/** The names of the rows where ours does not stand for the SDK's. */
type Given<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends [infer Ours, infer Server, infer Client]
    ? [Fits<Ours, Server>, Fits<Ours, Client>] extends [true, true]
      ? never
      : Name
    : Name;
}[keyof Rows];

/** The names of the rows where the SDK's does not stand for ours. */
type Taken<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends [infer Ours, infer Server, infer Client]
    ? [Fits<Server, Ours>, Fits<Client, Ours>] extends [true, true]
      ? never
      : Name
    : Name;
}[keyof Rows];

test("our message types stand for the official SDK's", () => {
  expectTypeOf<Given<Shared>>().toBeNever();
  expectTypeOf<Given<Wider>>().toBeNever();
});

test("the official SDK's message types stand for ours", () => {
  expectTypeOf<Taken<Shared>>().toBeNever();
  expectTypeOf<Taken<Narrower>>().toBeNever();
});

test("the rows are told apart by what they hold", () => {
  expectTypeOf<Given<Narrower>>().toEqualTypeOf<keyof Narrower>();
  expectTypeOf<Taken<Wider>>().toEqualTypeOf<keyof Wider>();
  expectTypeOf<
    Given<{ Text: [{ type: "image" }, Server.TextContent, Client.TextContent] }>
  >().toEqualTypeOf<"Text">();
});
