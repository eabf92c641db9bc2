/** Whether a method only reads. After a move both start again in the other layout. */
export type ForwardStage = "read" | "change";

/** For each method of a target: what it does. A missing entry does not compile. */
export type ForwardTable<Target> = {
  readonly [
    Name in keyof Target as Required<Target>[Name] extends (...args: never[]) => Promise<unknown> ? Name : never
  ]-?: ForwardStage;
};

/** Runs a call on the target of the moment. It may run again on another one. */
export type RunOnTarget<Target> = <R>(
  stage: ForwardStage,
  args: readonly unknown[],
  use: (target: Target) => Promise<R>,
) => Promise<R>;

/** Makes an object with the methods of the table. Each runs on the target that `run` chooses. */
export function createForwarder<Target extends object>(
  table: ForwardTable<Target>,
  run: RunOnTarget<Target>,
): Pick<Target, keyof ForwardTable<Target> & keyof Target> {
  const methods = Object.entries<ForwardStage>(table).map(([name, stage]) => {
    const forward = (...args: unknown[]): Promise<unknown> =>
      run(stage, args, (target) => {
        // The table has names of methods only.
        const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
        return method.apply(target, args);
      });
    return [name, forward] as const;
  });
  // The table has each method of the target, and nothing else.
  return Object.fromEntries(methods) as Pick<Target, keyof ForwardTable<Target> & keyof Target>;
}
