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

  /// Returns the parts that the covers leave, in pieces of the greatest possible height.
  func pieces(without covers: [CellArea]) -> [CellArea] {
    var pieces: [CellArea] = []
    /// The pieces that reach down to the row above.
    var open: [CellArea] = []
    for row in self.row..<self.row + rows {
      var runs: [CellArea] = []
      var begin: Int?
      for column in self.column...self.column + columns {
        let isFree =
          column < self.column + columns
          && !covers.contains { $0.contains(column: column, row: row) }
        if isFree, begin == nil { begin = column }
        if !isFree, let first = begin {
          runs.append(CellArea(column: first, row: row, columns: column - first, rows: 1))
          begin = nil
        }
      }
      let next = runs.map { run -> CellArea in
        guard
          let above = open.first(where: { $0.column == run.column && $0.columns == run.columns })
        else { return run }
        return CellArea(
          column: above.column, row: above.row, columns: above.columns, rows: above.rows + 1)
      }
      pieces += open.filter { piece in
        !next.contains { $0.row == piece.row && $0.column == piece.column }
      }
      open = next
    }
    return pieces + open
  }
}
