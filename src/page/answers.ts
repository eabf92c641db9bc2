import type { pageRoutes } from "./routes/routes.js";
import type { Route } from "./route.js";
import type { Session } from "./guard.js";

/*
 * The types of the JSON that the page and its client exchange. They come from the routes, so that a field that is
 * renamed in a route fails in the client.
 */

type Json<T> = T extends Date ? string : T extends object ? { [Name in keyof T]: Json<T[Name]> } : T;

type PageRoute = (typeof pageRoutes)[number];

type RouteAt<Path> = Extract<PageRoute, { path: Path }>;

/** The answer of each route, by its path below `/api/`. */
export type Answers = { session: Json<Session> } & {
  [Path in PageRoute["path"]]: RouteAt<Path> extends Route<string, infer _Input, infer Answer> ? Json<Answer> : never;
};

/** The body of each route that changes something. */
export type Bodies = {
  [Path in PageRoute["path"]]: RouteAt<Path> extends Route<string, infer Input> ? Input : never;
};
