import CZlib
import Glibc

/// The picture as pixels, by kitty's graphics protocol (its documentation, "Terminal graphics protocol").
///
/// Each changed picture is transmitted whole and replaces the former one within one synchronized update. It lies over
/// the cells, in as many pieces as the covers leave of it. Inside tmux, which knows nothing of it, the picture is shown by
/// characters in the cells (``Placeholders``).
struct KittyPicture: Sendable {
  /// The greatest number of encoded bytes in one escape sequence.
  private static let chunk = 4096
  private static let ids = [7_300_001, 7_300_002]
  /// The identifier in tmux, where other programs of this user may show pictures in the same window.
  private static let tmuxID = UInt32(getpid() / 200 % 200 + 1) << 24 | UInt32(getpid() % 200 + 20)

  /// The index of the picture's current identifier; nil for none.
  private var shown: Int?
  private var pixels: [UInt8] = []
  private var needsPlacing = true
  private let throughTmux: Bool

  /// - Parameter throughTmux: whether the commands have to pass through tmux.
  init(throughTmux: Bool = false) { self.throughTmux = throughTmux }

  /// Returns the size of a picture in an area, in pixels: the terminal's own pixels, or fewer in the same ratio.
  static func size(of area: CellArea, cell: CellSize, limit: Int) -> (width: Int, height: Int) {
    let width = Double(area.columns) * cell.width
    let height = Double(area.rows) * cell.height
    guard width >= 1, height >= 1 else { return (1, 1) }
    let scale = min(1, (Double(limit) / (width * height)).squareRoot())
    return (max(1, Int(width * scale)), max(1, Int(height * scale)))
  }

  var isShown: Bool { shown != nil }

  /// Makes the next picture be placed again, since its position or its pieces are wrong.
  mutating func forgetPlacements() { needsPlacing = true }

  /// Forgets the picture, because the terminal has lost it.
  mutating func forget() {
    pixels = []
    needsPlacing = true
  }

  /// Writes the bytes that make the terminal show `picture`; nothing if it does.
  ///
  /// - Parameter memory: the medium; nil for the terminal's own link.
  mutating func encode(
    _ picture: PixelBuffer, area: CellArea, covers: [CellArea], memory: SharedPictures?,
    to output: inout ControlBytes
  ) {
    let new = Self.packed(picture)
    guard new != pixels || needsPlacing else { return }
    output.text("\u{1B}7\u{1B}[?2026h")
    if throughTmux {
      return encodeForTmux(new, picture, area: area, covers: covers, memory: memory, to: &output)
    }
    let before = shown
    if new != pixels || before == nil {
      let next = before == 0 ? 1 : 0
      transmit(new, picture, id: Self.ids[next], memory: memory, to: &output)
      shown = next
      pixels = new
    } else if let before {
      Self.delete("i", Self.ids[before], to: &output)
    }
    place(picture, area: area, covers: covers, to: &output)
    if let before, before != shown { Self.delete("I", Self.ids[before], to: &output) }
    needsPlacing = false
  }

  private mutating func encodeForTmux(
    _ new: [UInt8], _ picture: PixelBuffer, area: CellArea, covers: [CellArea],
    memory: SharedPictures?, to output: inout ControlBytes
  ) {
    if new != pixels {
      // The former picture disappears with the first bytes of this one.
      output.append(TmuxPassthrough.wrapped("\u{1B}[?2026h".utf8)[...])
      transmit(new, picture, id: Int(Self.tmuxID), memory: memory, to: &output)
      output.passThroughTmux { output in
        output.text("\u{1B}_Ga=p,U=1,q=2,i=")
        output.decimal(Int(Self.tmuxID))
        output.text(",c=")
        output.decimal(area.columns)
        output.text(",r=")
        output.decimal(area.rows)
        output.text("\u{1B}\\")
      }
      output.append(TmuxPassthrough.wrapped("\u{1B}[?2026l".utf8)[...])
      (pixels, shown) = (new, 0)
    }
    guard needsPlacing else { return }
    for piece in area.pieces(without: covers) {
      for row in piece.row..<piece.row + piece.rows {
        output.text("\u{1B}[")
        output.decimal(row + 1)
        output.text(";")
        output.decimal(piece.column + 1)
        output.text("H")
        let first = piece.column - area.column
        Placeholders.write(
          row: row - area.row, columns: first..<first + piece.columns, id: Self.tmuxID, to: &output)
      }
    }
    needsPlacing = false
  }

  /// Removes the picture.
  mutating func remove(to output: inout ControlBytes) {
    if shown != nil, throughTmux {
      output.passThroughTmux { Self.delete("I", Int(Self.tmuxID), to: &$0) }
    } else if let shown {
      Self.delete("I", Self.ids[shown], to: &output)
    }
    shown = nil
    forget()
  }

  /// Deletes a picture's placements, and with `I` the picture itself.
  private static func delete(_ what: StaticString, _ id: Int, to output: inout ControlBytes) {
    output.text("\u{1B}_Ga=d,q=2,d=")
    output.text(what)
    output.text(",i=")
    output.decimal(id)
    output.text("\u{1B}\\")
  }

  /// Returns red, green and blue, one byte each.
  private static func packed(_ picture: PixelBuffer) -> [UInt8] {
    let count = picture.width * picture.height * 3
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      size = count
      guard var target = buffer.baseAddress else { return }
      for y in 0..<picture.height {
        for x in 0..<picture.width {
          let color = picture.color(x, y)
          target[0] = UInt8(truncatingIfNeeded: color >> 16)
          target[1] = UInt8(truncatingIfNeeded: color >> 8)
          target[2] = UInt8(truncatingIfNeeded: color)
          target += 3
        }
      }
    }
  }

  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var size = compressBound(uLong(bytes.count))
    return [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
      // The fastest level: the link within a machine is faster than a higher level of zlib.
      let status = compress2(buffer.baseAddress, &size, bytes, uLong(bytes.count), Z_BEST_SPEED)
      precondition(status == Z_OK, "zlib has no room in what it asked for")
      count = Int(size)
    }
  }

  private func transmit(
    _ pixels: [UInt8], _ picture: PixelBuffer, id: Int, memory: SharedPictures?,
    to output: inout ControlBytes
  ) {
    let name = memory?.share(pixels)
    let data = Base64.encode(name.map { Array($0.utf8) } ?? Self.compressed(pixels))
    var start = 0
    while start < data.count {
      let end = min(data.count, start + Self.chunk)
      output.passThroughTmux(if: throughTmux) { output in
        output.text("\u{1B}_G")
        if start == 0 {
          output.text(name == nil ? "a=t,f=24,o=z,q=2,i=" : "a=t,f=24,t=s,q=2,i=")
          output.decimal(id)
          output.text(",s=")
          output.decimal(picture.width)
          output.text(",v=")
          output.decimal(picture.height)
          output.text(",")
        }
        output.text(end < data.count ? "m=1;" : "m=0;")
        output.append(data[start..<end])
        output.text("\u{1B}\\")
      }
      start = end
    }
  }

  private func place(
    _ picture: PixelBuffer, area: CellArea, covers: [CellArea], to output: inout ControlBytes
  ) {
    guard let shown else { return }
    for (number, piece) in area.pieces(without: covers).enumerated() {
      let left = (piece.column - area.column) * picture.width / area.columns
      let right = (piece.column - area.column + piece.columns) * picture.width / area.columns
      let top = (piece.row - area.row) * picture.height / area.rows
      let bottom = (piece.row - area.row + piece.rows) * picture.height / area.rows
      guard right > left, bottom > top else { continue }
      output.text("\u{1B}[")
      output.decimal(piece.row + 1)
      output.text(";")
      output.decimal(piece.column + 1)
      output.text("H\u{1B}_Ga=p,C=1,q=2,i=")
      output.decimal(Self.ids[shown])
      let parts: [(StaticString, Int)] = [
        (",p=", number + 1), (",x=", left), (",y=", top), (",w=", right - left),
        (",h=", bottom - top), (",c=", piece.columns), (",r=", piece.rows),
      ]
      for (key, value) in parts {
        output.text(key)
        output.decimal(value)
      }
      output.text("\u{1B}\\")
    }
  }
}
