/// A cell of the screen: column and row from the top left corner, which is 0, 0.
struct ScreenPoint: Hashable, Sendable {
  var column: Int
  var row: Int
}

/// A number of columns and rows, never negative.
package struct ScreenSize: Hashable, Sendable {
  /// Cells from left to right.
  package var columns: Int
  /// Cells from top to bottom.
  package var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }

  /// The smallest screen with the full layout. Below this the screen is compact: up to three lines.
  package static let smallest = ScreenSize(columns: 40, rows: 10)
  /// The smallest screen with the compact layout. Below this the screen only says that it is too small.
  package static let smallestCompact = ScreenSize(columns: 20, rows: 1)
}

/// A rectangle of cells. Sizes never go below zero, so that cutting off too much leaves nothing.
struct Rect: Hashable, Sendable {
  var column: Int
  var row: Int
  var width: Int
  var height: Int

  init(column: Int, row: Int, width: Int, height: Int) {
    self.column = column
    self.row = row
    self.width = max(0, width)
    self.height = max(0, height)
  }

  var endColumn: Int { column + width }
  var endRow: Int { row + height }
  var isEmpty: Bool { width == 0 || height == 0 }

  func contains(_ point: ScreenPoint) -> Bool {
    point.column >= column && point.column < endColumn && point.row >= row && point.row < endRow
  }

  func inset(columns: Int, rows: Int) -> Rect {
    Rect(
      column: column + columns, row: row + rows, width: width - 2 * columns,
      height: height - 2 * rows)
  }

  func intersection(_ other: Rect) -> Rect {
    let left = max(column, other.column)
    let top = max(row, other.row)
    return Rect(
      column: left, row: top, width: min(endColumn, other.endColumn) - left,
      height: min(endRow, other.endRow) - top)
  }

  /// Returns row `index` of the rectangle, counted from its top.
  func line(_ index: Int) -> Rect {
    Rect(column: column, row: row + index, width: width, height: index < height ? 1 : 0)
  }

  /// Removes `count` rows from the top, and returns them.
  mutating func takeTop(_ count: Int) -> Rect {
    let taken = min(max(0, count), height)
    defer {
      row += taken
      height -= taken
    }
    return Rect(column: column, row: row, width: width, height: taken)
  }

  /// Removes `count` rows from the bottom, and returns them.
  mutating func takeBottom(_ count: Int) -> Rect {
    let taken = min(max(0, count), height)
    height -= taken
    return Rect(column: column, row: row + height, width: width, height: taken)
  }

  /// Returns a rectangle of at most this size in the middle of this one.
  func centered(width: Int, height: Int) -> Rect {
    let fittingWidth = min(width, self.width)
    let fittingHeight = min(height, self.height)
    return Rect(
      column: column + (self.width - fittingWidth) / 2,
      row: row + (self.height - fittingHeight) / 2,
      width: fittingWidth, height: fittingHeight)
  }
}
