import { storeTable, stores } from "./stores.js";

/* The stores alone: `npm run bench:stores`, with REDIS_URL and DATABASE_URL for servers of yours. */
const measured = await stores(7, 1, (name) => console.error(`${name} …`));
console.log(storeTable(measured).join("\n"));
