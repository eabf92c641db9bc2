/** Whether a method only reads. After a move, both kinds start again in the other layout. */
export type ForwardStage = "read" | "change";

/** The stage of each method of a target. A missing entry does not compile. */
export type ForwardTable<Target> = {
  readonly [
    Name in keyof Target as Required<Target>[Name] extends (...args: never[]) => Promise<unknown> ? Name : never
  ]-?: ForwardStage;
};

/** Runs a call on the current target. The call may run again on another target. */
export type RunOnTarget<Target> = <R>(
  stage: ForwardStage,
  args: readonly unknown[],
  use: (target: Target) => Promise<R>,
) => Promise<R>;

/** Creates an object with the methods of the table. Each runs on the target that `run` chooses. */
export function createForwarder<Target extends object>(
  table: ForwardTable<Target>,
  run: RunOnTarget<Target>,
): Pick<Target, keyof ForwardTable<Target> & keyof Target> {
  const methods = Object.entries<ForwardStage>(table).map(([name, stage]) => {
    const forward = (...args: unknown[]): Promise<unknown> =>
      run(stage, args, (target) => {
        // The table contains names of methods only.
        const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
        return method.apply(target, args);
      });
    return [name, forward] as const;
  });
  // The table contains each method of the target, and nothing else.
  return Object.fromEntries(methods) as Pick<Target, keyof ForwardTable<Target> & keyof Target>;
}
