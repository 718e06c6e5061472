/// A rectangle of the terminal's cells, counted from its top left corner, which is 0, 0.
package struct CellArea: Hashable, Sendable {
  /// The first column, from 0; below zero for an area that begins outside the terminal.
  package var column: Int
  /// The first row, from 0; below zero for an area that begins outside the terminal.
  package var row: Int
  /// The number of columns.
  package var columns: Int
  /// The number of rows.
  package var rows: Int

  /// Creates an area; a negative width or height becomes zero.
  package init(column: Int, row: Int, columns: Int, rows: Int) {
    self.column = column
    self.row = row
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }

  /// A Boolean value that indicates whether the area has no cells.
  package var isEmpty: Bool { columns == 0 || rows == 0 }

  @inline(__always)
  func contains(column: Int, row: Int) -> Bool {
    column >= self.column && column < self.column + columns && row >= self.row
      && row < self.row + rows
  }

  /// Returns the cells that are in both areas.
  package func intersection(_ other: CellArea) -> CellArea {
    let first = (max(column, other.column), max(row, other.row))
    let endColumn = min(column + columns, other.column + other.columns)
    let endRow = min(row + rows, other.row + other.rows)
    return CellArea(
      column: first.0, row: first.1, columns: endColumn - first.0, rows: endRow - first.1)
  }
}
