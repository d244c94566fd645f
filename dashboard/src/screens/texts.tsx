export function Texts(_: Record<string, unknown>) { return null; }
