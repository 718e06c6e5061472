@testable import TerminalVideo

/// A model of a terminal with the functions that pictures need, controlled by bytes.
struct PictureTerminal {
  struct Cell: Hashable {
    var ink: UInt32 = 0
    var paper: UInt32 = 0
    /// The pixels that have the ink, row by row from the lowest bit; nil for a character that isn't a block.
    var mask: UInt8?
    /// The part of kitty's picture that the cell shows, as the character's marks and colour name it.
    var placeholder: Placeholder?
  }

  struct Placeholder: Hashable {
    var color: Int
    /// The row, the column and the identifier's highest byte.
    var numbers: [Int] = []
  }

  let columns: Int
  let rows: Int
  private(set) var cells: [Cell]
  /// The number of cells written; `surprises` has the sequences that it doesn't know.
  private(set) var writes = 0
  private(set) var surprises: [String] = []
  /// A Boolean value that indicates whether an update is held back (`DECSET 2026`).
  private(set) var isHeld = false
  private(set) var cursor = (column: 3, row: 1)
  private var saved: (column: Int, row: Int)?
  private var pen = Cell()
  /// The ink's index in the palette.
  private var penIndex = 0

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Cell(), count: columns * rows)
  }

  /// Lets another program write there.
  mutating func erase(_ area: CellArea) {
    for row in area.row..<area.row + area.rows {
      for column in area.column..<area.column + area.columns {
        cells[row * columns + column] = Cell()
      }
    }
  }

  mutating func feed(_ bytes: [UInt8]) {
    var text = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    while let scalar = text.popFirst() {
      if scalar != "\u{1B}" {
        put(scalar)
        continue
      }
      switch text.popFirst() {
      case "7": saved = cursor
      case "8": if let saved { cursor = saved } else { surprises.append("ESC 8 of nothing") }
      case "[":
        let parameters = text.prefix { !("@"..."~").contains($0) }
        text = text.dropFirst(parameters.count)
        control(String(String.UnicodeScalarView(parameters)), text.popFirst() ?? " ")
      case let other: surprises.append("ESC \(String(describing: other))")
      }
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let last = cursor.row * columns + cursor.column - 1
    if let mark = Placeholders.marks.firstIndex(of: scalar.value), last >= 0,
      cells[last].placeholder != nil
    {
      cells[last].placeholder?.numbers.append(mark)
      return
    }
    if scalar.value == 0x10EEEE, cursor.column < columns, cursor.row < rows {
      cells[last + 1] = Cell(placeholder: Placeholder(color: penIndex))
      writes += 1
      cursor.column += 1
      return
    }
    guard cursor.column < columns, cursor.row < rows, let mask = Self.mask(of: scalar) else {
      return surprises.append("\(scalar) at \(cursor)")
    }
    cells[cursor.row * columns + cursor.column] = Cell(
      ink: pen.ink, paper: pen.paper, mask: mask)
    writes += 1
    cursor.column += 1
  }

  /// Returns the parts of a cell that a character fills, by its name in Unicode's data.
  static func mask(of scalar: Unicode.Scalar) -> UInt8? {
    guard let name = scalar.properties.name else { return nil }
    if let octants = name.split(separator: "BLOCK OCTANT-").first, octants != name[...] {
      return octants.reduce(0) { $0 | 1 << UInt8($1.wholeNumberValue! - 1) }
    }
    let names: [String: UInt8] = [
      "SPACE": 0, "FULL BLOCK": 0xFF, "UPPER HALF BLOCK": 0x0F, "LOWER HALF BLOCK": 0xF0,
      "LEFT HALF BLOCK": 0x55, "RIGHT HALF BLOCK": 0xAA,
      "LOWER ONE QUARTER BLOCK": 0xC0, "LOWER THREE QUARTERS BLOCK": 0xFC,
    ]
    if let mask = names[name] { return mask }
    let prefix = "QUADRANT "
    guard name.hasPrefix(prefix) else { return nil }
    let quadrants: [Substring: UInt8] = [
      "UPPER LEFT": 0x05, "UPPER RIGHT": 0x0A, "LOWER LEFT": 0x50, "LOWER RIGHT": 0xA0,
    ]
    return name.dropFirst(prefix.count).split(separator: " AND ")
      .reduce(0) { $0 | quadrants[$1]! }
  }

  private mutating func control(_ parameters: String, _ final: Unicode.Scalar) {
    let numbers = parameters.split(separator: ";").compactMap { Int($0) }
    switch final {
    case "H": cursor = (numbers[1] - 1, numbers[0] - 1)
    case "C": cursor.column += numbers.first ?? 1
    case "m": attributes(numbers)
    case "h" where parameters == "?2026": isHeld = true
    case "l" where parameters == "?2026": isHeld = false
    default: surprises.append("CSI \(parameters) \(final)")
    }
  }

  private mutating func attributes(_ numbers: [Int]) {
    var rest = numbers[...]
    if rest.isEmpty { pen = Cell() }
    while let first = rest.popFirst() {
      guard first == 38 || first == 48, let kind = rest.popFirst() else {
        return surprises.append("SGR \(numbers)")
      }
      let color: UInt32
      if kind == 2 {
        let channels = rest.prefix(3).map { UInt32($0) }
        rest = rest.dropFirst(3)
        color = channels[0] << 16 | channels[1] << 8 | channels[2]
      } else {
        let index = rest.popFirst() ?? 0
        color = XtermPalette.colors[index]
        if first == 38 { penIndex = index }
      }
      if first == 38 { pen.ink = color } else { pen.paper = color }
    }
  }

  /// Returns the colour of one pixel of a cell, of two beside each other in each of four rows.
  func color(column: Int, row: Int, pixel: Int) -> UInt32? {
    let cell = cells[row * columns + column]
    guard let mask = cell.mask else { return nil }
    return mask & 1 << UInt8(pixel) != 0 ? cell.ink : cell.paper
  }
}
