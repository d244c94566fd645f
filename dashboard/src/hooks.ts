// How screens read and write: a query that is asked once, a live query that follows, an action that a person starts.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ask } from "./api";
import type { GraphqlDocument } from "./document";
import { Refusal } from "./gateway";
import { follow } from "./live";

/** What is there of a query: its result belongs to the present variables, never to those before. */
export interface Loaded<Result> {
  data?: Result;
  refusal?: Refusal;
}

/** The refusal that an error is; errors of the page itself are not caught. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

/** Asks a query when its variables change, and anew when the sign does; asks nothing while the variables are null. */
export function useQuery<Result, Variables>(document: GraphqlDocument<Result, Variables>, variables: Variables | null, sign = ""): Loaded<Result> & { reload: () => void } {
  const key = JSON.stringify([document.text, variables]);
  const [state, setState] = useState<Loaded<Result> & { key: string }>({ key: "" });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (variables === null) return;
    let isCurrent = true;
    ask(document, variables).then(
      (data) => isCurrent && setState({ key, data }),
      (error) => isCurrent && setState((before) => ({ key, data: before.key === key ? before.data : undefined, refusal: asRefusal(error) })),
    );
    return () => void (isCurrent = false);
  }, [key, round, sign]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return state.key === key ? { data: state.data, refusal: state.refusal, reload } : { reload };
}

export interface Live<Result> extends Loaded<Result> {
  /** False while the connection is lost; what is shown may be old. */
  isConnected: boolean;
  /**
   * Shows a change at once, before the gateway has made it. The returned function takes it back; the next result of the live
   * query replaces it in any case.
   */
  patch: (change: (before: Result) => Result) => () => void;
}

/** Follows a live query. */
export function useLive<Result, Variables>(document: GraphqlDocument<Result, Variables>, variables: Variables | null): Live<Result> {
  const key = JSON.stringify([document.text, variables]);
  const [state, setState] = useState<Loaded<Result> & { key: string; isConnected: boolean }>({ key: "", isConnected: true });
  useEffect(() => {
    if (variables === null) return;
    return follow(document, variables, {
      next: (data) => setState({ key, data, isConnected: true }),
      connected: (isConnected) => setState((before) => (before.key === key ? { ...before, isConnected } : { key, isConnected })),
      refused: (refusal) => setState({ key, refusal, isConnected: true }),
    });
  }, [key]);
  const patch = useCallback(
    (change: (before: Result) => Result) => {
      let replaced: Result | undefined;
      let shown: Result | undefined;
      setState((before) => {
        if (before.key !== key || before.data === undefined) return before;
        replaced = before.data;
        shown = change(before.data);
        return { ...before, data: shown };
      });
      return () => setState((now) => (now.key === key && now.data === shown && replaced !== undefined ? { ...now, data: replaced } : now));
    },
    [key],
  );
  const current = state.key === key ? state : { isConnected: state.isConnected };
  return { data: undefined, refusal: undefined, ...current, patch };
}

export interface Action<Arguments extends unknown[]> {
  /** Returns whether it went well. */
  run: (...values: Arguments) => Promise<boolean>;
  isBusy: boolean;
  refusal?: Refusal;
  clear: () => void;
}

/** Something that a person does, which runs once at a time. */
export function useAction<Arguments extends unknown[]>(act: (...values: Arguments) => Promise<unknown>): Action<Arguments> {
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const latest = useRef(act);
  latest.current = act;
  const busy = useRef(false);
  const run = useCallback(async (...values: Arguments) => {
    if (busy.current) return false;
    busy.current = true;
    setBusy(true);
    setRefusal(undefined);
    try {
      await latest.current(...values);
      return true;
    } catch (error) {
      setRefusal(asRefusal(error));
      return false;
    } finally {
      busy.current = false;
      setBusy(false);
    }
  }, []);
  const clear = useCallback(() => setRefusal(undefined), []);
  return useMemo(() => ({ run, isBusy, refusal, clear }), [run, isBusy, refusal, clear]);
}

/** A change that is shown at once, and taken back if the gateway refuses it. */
export async function optimistic(undo: () => void, change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    undo();
    throw error;
  }
}

/** A value that follows another one after a pause, so that a search does not ask at each letter. */
export function useDelayed<Value>(value: Value, milliseconds = 250): Value {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setDelayed(value), milliseconds);
    return () => window.clearTimeout(timer);
  }, [value, milliseconds]);
  return delayed;
}
