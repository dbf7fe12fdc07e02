// The stream for programs: each event is a change set as the list of changes has it.
import { shownSet } from "../../history/sets.ts";
import { eventText } from "../../http/event_stream.ts";
import type { StreamFormat } from "./hub.ts";

export const CHANGE = "change";

export const forPrograms: StreamFormat = {
  name: "changes",
  events: async (_, sets) =>
    sets.map((set) => {
      const shown = shownSet(set);
      const text = eventText({ id: shown.id, name: CHANGE, data: JSON.stringify(shown) });
      return { id: set.id, text };
    }),
};
