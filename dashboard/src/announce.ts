// One live region for the page: what has happened is said once to people who do not see it, and shown for some seconds to all.

type Listener = (text: string) => void;

let listener: Listener = () => {};

export function announce(text: string) {
  listener(text);
}

export function onAnnouncement(next: Listener) {
  listener = next;
}
