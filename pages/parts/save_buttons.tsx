/** The buttons of a form that creates or changes a record. */
export function SaveButtons({ isNew, back }: { isNew: boolean; back: string }) {
  return (
    <div class="buttons">
      <button type="submit" class="primary">
        Save
      </button>
      {isNew && (
        <button type="submit" name="again" value="true">
          Save and add another
        </button>
      )}
      <a class="button quiet" href={back}>
        Cancel
      </a>
    </div>
  );
}
