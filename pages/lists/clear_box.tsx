interface Props {
  name: string;
  /** The label of the field that it clears, for screen readers. */
  field: string;
  label?: string;
  checked: boolean;
}

/** Clears a field of all selected records; a blank input leaves it. */
export function ClearBox({ name, field, label = "Clear", checked }: Props) {
  return (
    <label class="blank">
      <input type="checkbox" name="clear" value={name} checked={checked} />
      <span>
        {label} <span class="hidden">{field}</span>
      </span>
    </label>
  );
}
