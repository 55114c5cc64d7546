/** Regular expressions of list cursors. Schemas require them, and error messages explain them. */

/** A cursor of the event feed: a position, `0` for the beginning, or `latest`. */
export const feedCursorForm = "^(?:latest|0|[1-9][0-9]{0,17})$";

/** A statement: `1794700000000000 20261115093000123047601530017744120 dispute freeze`. */
export const statementCursorForm = "^[0-9]{16} [\\x21-\\x7E]{1,64} [a-z ]{1,32}$";

/** A cursor of the items of a settlement batch: the record and the effect. */
export const itemCursorForm = "^[\\x21-\\x7E]{1,64} [a-z ]{1,32}$";

/** A cursor of settlement batches, or of the items of one batch. */
export const settlementCursorForm = `${itemCursorForm}|^[0-9]{35}$`;
