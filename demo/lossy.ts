import type { Deliver } from "./proxy.js";

/** A bad network: everything arrives twice, at once, and every third answer is lost. */
export class Lossy {
  delivered = 0;
  lost = 0;

  roughly(deliver: Deliver): Deliver {
    const carry = async (message: Parameters<Deliver>[0]): ReturnType<Deliver> => {
      this.delivered += 1;
      const isLost = this.delivered % 3 === 0;
      const answer = await deliver(message);
      if (!isLost) return answer;
      this.lost += 1;
      throw new Error("The answer was lost");
    };
    return async (message) => {
      for (;;) {
        const arrived = await Promise.allSettled([carry(message), carry(message)]);
        for (const each of arrived) if (each.status === "fulfilled") return each.value;
      }
    };
  }
}
