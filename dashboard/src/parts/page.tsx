// The frame of a screen: its heading, which gets the focus when the screen comes, what can be done, and its tabs.

import { useEffect, useRef, type ReactNode } from "react";
import { href } from "../route";
import { t } from "../text";

export function Page({ title, id = title, actions, above, children }: { title: string; id?: string; actions?: ReactNode; above?: ReactNode; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – ${t.product}`;
  }, [title]);
  // Another screen begins at its heading, for the keyboard and for whoever listens. The first one after loading does not take the focus.
  useEffect(() => {
    if (isFirst) isFirst = false;
    else heading.current?.focus();
    window.scrollTo(0, 0);
  }, [id]);
  return (
    <>
      <header className="head">
        <div>
          {above}
          <h1 ref={heading} tabIndex={-1}>{title}</h1>
        </div>
        {actions && <div className="buttons">{actions}</div>}
      </header>
      {children}
    </>
  );
}

let isFirst = true;

export function Section({ title, actions, children, className = "" }: { title: string; actions?: ReactNode; children: ReactNode; className?: string }) {
  return (
    <section className={`card ${className}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions && <div className="buttons">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Tabs that are links, so that each has its address. */
export function Tabs({ label, path, tabs, current, query = {} }: { label: string; path: string[]; tabs: readonly (readonly [key: string, name: string, count?: number])[]; current: string; query?: Record<string, string | undefined> }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([key, name, count], index) => (
        <a key={key} href={href(path, { ...query, tab: index === 0 ? undefined : key })} aria-current={key === current ? "page" : undefined}>
          {name}{count !== undefined && <span className="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}

/** A list of terms and what they are. */
export function Facts({ of }: { of: (readonly [term: string, value: ReactNode] | false)[] }) {
  return (
    <dl className="facts">
      {of.filter((fact) => fact !== false).map(([term, value]) => <div key={term}><dt>{term}</dt><dd>{value}</dd></div>)}
    </dl>
  );
}

/** A text of several paragraphs. */
export function Prose({ text }: { text: string }) {
  return <div className="prose">{text.split(/\n{2,}/).map((part, index) => <p key={index}>{part}</p>)}</div>;
}
