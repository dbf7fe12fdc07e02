// The feeds, each at its own URL under /network/export.
export { ansible } from "./ansible.ts";
export { answerFeed, type FeedAnswer } from "./answer.ts";
export { dnsmasq } from "./dnsmasq.ts";
export type { Feed } from "./feed.ts";
export { hostsFile } from "./hosts_file.ts";
export { kea } from "./kea.ts";
export { prometheus } from "./prometheus.ts";
export { zone } from "./zone.ts";
export { zones } from "./zones.ts";
