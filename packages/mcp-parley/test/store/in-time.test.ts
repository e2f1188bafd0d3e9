import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ParleyError } from "../../src/protocol/errors.js";
import { checkedTimeout, inTime, unavailable, type Course } from "../../src/store/in-time.js";
import { wholeMs } from "../../src/store/whole-ms.js";

const limits = { name: "test", timeout: 500 };
const again = () => "again" as const;
const asItIs = <T>(reply: T): T => reply;
const never = <T>(): Promise<T> => new Promise(() => undefined);
const lost: unknown = expect.objectContaining({ code: "store_unavailable" });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("an operation in its time", () => {
  test("gives what it comes to, and leaves no timer behind", async () => {
    expect(await inTime(limits, async () => 7, again, asItIs)).toBe(7);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("fails when its time is over, and is told so", async () => {
    let course: Course | undefined;
    const whenOverdue = vi.fn();
    const running = inTime(
      limits,
      (given) => {
        course = given;
        given.whenOverdue = whenOverdue;
        return never();
      },
      again,
      asItIs,
    );
    const failed = expect(running).rejects.toThrow("within 500 ms");
    await vi.advanceTimersByTimeAsync(499);
    expect(course?.over).toBe(false);
    expect(whenOverdue).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await failed;
    await expect(running).rejects.toThrow(lost);
    expect(course?.over).toBe(true);
    expect(whenOverdue).toHaveBeenCalledTimes(1);
  });

  test("is told when nobody waits for it any more, since it is done", async () => {
    const courses: Course[] = [];
    const attempt = async (course: Course): Promise<number> => courses.push(course);
    await inTime(limits, attempt, again, asItIs);
    await inTime(limits, attempt, again, (reply) => {
      if (courses.length < 4) throw new Error("odd");
      return reply;
    });
    expect(courses.map(({ over }) => over)).toEqual([true, true, true, true]);
  });

  test("is not read any more once its time is over", async () => {
    let reply: (value: number) => void = () => undefined;
    const read = vi.fn(asItIs<number>);
    const running = inTime(
      limits,
      () => new Promise<number>((resolve) => void (reply = resolve)),
      again,
      read,
    );
    const failed = expect(running).rejects.toThrow("within 500 ms");
    await vi.advanceTimersByTimeAsync(500);
    await failed;
    reply(7);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(read).not.toHaveBeenCalled();
  });

  test("whose reply can't be read has failed, and is judged as any failure", async () => {
    const odd = new Error("odd");
    const verdict = new ParleyError("store_unavailable", "Odd");
    const judge = vi.fn(() => verdict);
    const running = inTime(
      limits,
      async () => 7,
      judge,
      () => {
        throw odd;
      },
    );
    await expect(running).rejects.toBe(verdict);
    expect(judge).toHaveBeenCalledWith(odd);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("may fail once its time is over without anybody caring", async () => {
    let fail: (error: Error) => void = () => undefined;
    const attempt = vi.fn(() => new Promise<never>((_, reject) => void (fail = reject)));
    const running = inTime(limits, attempt, again, asItIs);
    const failed = expect(running).rejects.toThrow("within 500 ms");
    await vi.advanceTimersByTimeAsync(500);
    await failed;
    fail(new Error("late"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test("is tried again where the verdict allows it, five times in all", async () => {
    let tries = 0;
    const attempt = async (): Promise<number> => {
      tries += 1;
      if (tries < 5) throw new Error("cut");
      return tries;
    };
    expect(await inTime(limits, attempt, again, asItIs)).toBe(5);
    tries = -1;
    const failed = inTime(limits, attempt, again, asItIs);
    await expect(failed).rejects.toThrow(lost);
    await expect(failed).rejects.toMatchObject({
      message: "The test store failed several times in a row",
      cause: { message: "cut" },
    });
    expect(tries).toBe(4);
  });

  test("is not tried again where the verdict is an error", async () => {
    const attempt = vi.fn(async () => {
      throw new Error("full");
    });
    const verdict = new ParleyError("store_full", "No room");
    await expect(inTime(limits, attempt, () => verdict, asItIs)).rejects.toBe(verdict);
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test("may throw before it has made a promise", async () => {
    const verdict = new ParleyError("store_full", "No room");
    const attempt = (): Promise<never> => {
      throw new Error("at once");
    };
    await expect(inTime(limits, attempt, () => verdict, asItIs)).rejects.toBe(verdict);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is tried again only in what time is left", async () => {
    let tries = 0;
    const attempt = async (): Promise<never> => {
      tries += 1;
      await new Promise((resolve) => setTimeout(resolve, 300));
      throw new Error("slow, and fails");
    };
    const failed = expect(inTime(limits, attempt, again, asItIs)).rejects.toThrow("within 500 ms");
    await vi.advanceTimersByTimeAsync(500);
    await failed;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(tries).toBe(2);
  });
});

describe("a time limit", () => {
  test("is two seconds, or what is given", () => {
    expect(checkedTimeout(undefined)).toBe(2_000);
    expect(checkedTimeout(1)).toBe(1);
    expect(checkedTimeout(60_000)).toBe(60_000);
  });

  test.each([0, -1, 60_001, Number.NaN, Infinity])("is not %s", (timeout) => {
    expect(() => checkedTimeout(timeout)).toThrow(RangeError);
    expect(() => checkedTimeout(timeout)).toThrow(/from 1 to 60000/);
  });

  test("is a number", () => {
    expect(() => checkedTimeout("100" as unknown as number)).toThrow(TypeError);
    expect(() => checkedTimeout("100" as unknown as number)).toThrow(/number of milliseconds/);
  });
});

test("an error says which store, what, and why", () => {
  const cause = new Error("why");
  expect(unavailable("x", "is away", cause)).toMatchObject({
    code: "store_unavailable",
    message: "The x store is away",
    cause,
  });
  expect(unavailable("x", "is away")).not.toHaveProperty("cause");
});

test("times are whole for every database, and never below nothing", () => {
  const times = [1.9, 0, -5, Number.NaN, Infinity, 8.64e15, 1_700_000_000_000];
  expect(times.map(wholeMs)).toEqual([1, 0, 0, 0, 8.64e15, 8.64e15, 1_700_000_000_000]);
});
