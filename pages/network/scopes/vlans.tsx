import type { ScopeRow } from "../../../src/network/scopes/scope.ts";
import type { ScopeNetwork } from "../../../src/network/scopes/scopes.ts";
import { networkPath } from "../paths.ts";

interface Props {
  scope: Pick<ScopeRow, "first_vlan" | "last_vlan">;
  pieces: ScopeNetwork[];
}

const WIDTH = 640;
const HEIGHT = 28;
const THINNEST = 2;

/** The VLAN range as a bar, with a mark for each network. */
export function Vlans({ scope, pieces }: Props) {
  const { first_vlan, last_vlan } = scope;
  const step = WIDTH / (last_vlan - first_vlan + 1);
  const width = Math.max(step > 4 ? step - 1 : step, THINNEST);
  return (
    <figure class="vlans">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <title>
          VLANs {first_vlan} to {last_vlan}
        </title>
        <rect class="ground" width={WIDTH} height={HEIGHT} />
        {pieces.map(({ vlan_name, vlan_id }) => (
          <a class="taken" href={networkPath(vlan_name)}>
            <title>
              VLAN {vlan_id} {vlan_name}
            </title>
            <rect
              x={Math.round((vlan_id - first_vlan) * step * 100) / 100}
              width={Math.round(width * 100) / 100}
              height={HEIGHT}
            />
          </a>
        ))}
      </svg>
      <figcaption>
        <span>{first_vlan}</span>
        <span>
          {pieces.length.toLocaleString("en")} of{" "}
          {(last_vlan - first_vlan + 1).toLocaleString("en")} in use
        </span>
        <span>{last_vlan}</span>
      </figcaption>
    </figure>
  );
}
