import { expect, test } from "vitest";
import { acceptedBy, isJson } from "../../src/transport/media-type.js";

test.each([
  ["absent", undefined, true, true],
  ["what clients send", "application/json, text/event-stream", true, true],
  ["the other order, other spacing", "text/event-stream,application/json", true, true],
  ["anything", "*/*", true, true],
  ["families", "application/*, text/*", true, true],
  ["case", "Application/JSON, TEXT/Event-Stream", true, true],
  ["weights", "application/json;q=0.9, text/event-stream; q=0.1", true, true],
  ["JSON alone", "application/json", true, false],
  ["streams alone", "text/event-stream", false, true],
  ["JSON refused by weight", "application/json;q=0, text/event-stream", false, true],
  ["JSON refused, everything else welcome", "*/*, application/json; q=0.000", false, true],
  ["a refusal that is only a small weight", "application/json;q=0.001", true, false],
  ["neither", "text/html, image/*", false, false],
  ["empty", "", false, false],
])("Accept %s", (_, header, json, stream) => {
  expect(acceptedBy(header)).toEqual({ json, stream });
});

test.each([
  "application/json",
  "Application/JSON",
  "application/json; charset=utf-8",
  "application/json;charset=UTF-8",
  'application/json; charset="utf-8"',
  "application/json; charset=utf8",
  "application/json; profile=x",
])("%s is JSON", (type) => {
  expect(isJson(type)).toBe(true);
});

test.each([
  undefined,
  "",
  "text/plain",
  "application/jsonp",
  "application/json-seq",
  "application/json; charset=utf-16",
  "application/json; charset=utf-8; charset=latin1",
  "application/json; charset",
  "text/plain; application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=application/json",
])("%s is not", (type) => {
  expect(isJson(type)).toBe(false);
});
