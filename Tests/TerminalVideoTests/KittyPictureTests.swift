import CZlib
import Foundation
import Testing

@testable import TerminalVideo

/// The parts of kitty's graphics protocol that are used, as its documentation defines them.
@Suite("The picture as pixels")
struct KittyPictureTests {
  private let area = CellArea(column: 4, row: 2, columns: 16, rows: 9)

  /// A terminal's pictures and their positions.
  private struct Graphics {
    struct Placement: Hashable {
      var image: Int
      var cells: CellArea
      var source: [Int]
    }

    var images: [Int: (width: Int, height: Int, pixels: [UInt8])] = [:]
    var placements: [Int: [Int: Placement]] = [:]
    /// The image that characters in the cells show, and its size in cells.
    var virtual: (image: Int, columns: Int, rows: Int)?
    private var cursor = (column: 0, row: 0)
    private var partial: (keys: [String: String], data: String)?

    var shown: [Placement] { placements.values.flatMap(\.values) }

    mutating func feed(_ bytes: [UInt8]) {
      let text = String(decoding: bytes, as: UTF8.self)
      for part in text.components(separatedBy: "\u{1B}").dropFirst() {
        if part.hasPrefix("["), part.hasSuffix("H") {
          let numbers = part.dropFirst().dropLast().split(separator: ";").compactMap { Int($0) }
          cursor = (numbers[1] - 1, numbers[0] - 1)
        } else if part.hasPrefix("_G") {
          let sides = part.dropFirst(2).split(
            separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
          var keys: [String: String] = [:]
          for pair in sides[0].split(separator: ",") {
            let words = pair.split(separator: "=").map(String.init)
            keys[words[0]] = words[1]
          }
          commandReceived(keys, sides.count > 1 ? String(sides[1]) : "")
        }
      }
    }

    private mutating func commandReceived(_ keys: [String: String], _ data: String) {
      #expect(data.utf8.count <= 4096)
      func number(_ key: String) -> Int { Int(keys[key] ?? "") ?? 0 }
      switch keys["a"] {
      case "t": partial = (keys, data)
      case nil: partial?.data += data
      case "p" where keys["U"] == "1":
        virtual = (number("i"), number("c"), number("r"))
        return
      case "p":
        placements[number("i"), default: [:]][number("p")] = Placement(
          image: number("i"),
          cells: CellArea(
            column: cursor.column, row: cursor.row, columns: number("c"), rows: number("r")),
          source: ["x", "y", "w", "h"].map(number))
        return
      case "d":
        placements[number("i")] = nil
        if virtual?.image == number("i") { virtual = nil }
        if keys["d"] == "I" { images[number("i")] = nil }
        return
      default: Issue.record("an action that isn't used: \(keys)")
      }
      guard keys["m"] == "0", let (first, text) = partial else { return }
      partial = nil
      let (width, height) = (Int(first["s"]!)!, Int(first["v"]!)!)
      if first["t"] == "s" {
        let name = String(decoding: Data(base64Encoded: text)!, as: UTF8.self)
        images[Int(first["i"]!)!] = (width, height, KittyPictureTests.memory(name))
        return
      }
      let compressed = [UInt8](Data(base64Encoded: text)!)
      var size = uLong(width * height * 3)
      var pixels = [UInt8](repeating: 0, count: Int(size))
      #expect(uncompress(&pixels, &size, compressed, uLong(compressed.count)) == Z_OK)
      #expect(size == width * height * 3)
      images[Int(first["i"]!)!] = (width, height, pixels)
    }
  }

  /// Returns the bytes of a picture in shared memory.
  fileprivate static func memory(_ name: String) -> [UInt8] {
    let memory = shm_open(name, O_RDONLY, 0)
    guard memory >= 0 else { return [] }
    var status = stat()
    #expect(fstat(memory, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600, "only for this user")
    return Array(FileHandle(fileDescriptor: memory, closeOnDealloc: true).readDataToEndOfFile())
  }

  private func pixels(_ picture: Picture) -> [UInt8] {
    picture.pixels.flatMap { [UInt8($0 >> 16 & 255), UInt8($0 >> 8 & 255), UInt8($0 & 255)] }
  }

  private func encoder() -> PictureEncoder {
    PictureEncoder(area: area, quality: PictureQuality(blocks: .pixels))
  }

  @Test("Every frame of a film is shown exactly, in one position, and none remains")
  func film() throws {
    var random = Dice(seed: 1)
    var encoder = encoder()
    var terminal = Graphics()
    var picture = Picture.noise(encoder.pictureSize, using: &random)
    for _ in 0..<10 {
      terminal.feed(picture.encoded(by: &encoder))
      #expect(terminal.images.count == 1)
      let shown = try #require(terminal.shown.first)
      #expect(terminal.shown.count == 1 && shown.cells == area)
      let image = try #require(terminal.images[shown.image])
      #expect(image.pixels == pixels(picture))
      #expect(shown.source == [0, 0, image.width, image.height])
      picture = picture.changed(by: 4, using: &random)
    }
    #expect(picture.encoded(by: &encoder).isEmpty == false)
    #expect(picture.encoded(by: &encoder).isEmpty, "nothing has changed")
  }

  @Test("A terminal on this machine reads every frame from shared memory, which is freed")
  func sharedMemory() throws {
    var random = Dice(seed: 5)
    let memory = SharedPictures()
    var encoder = PictureEncoder(
      area: area, quality: PictureQuality(blocks: .pixels, medium: .sharedMemory), memory: memory)
    var terminal = Graphics()
    var all: Set<String> = []
    for _ in 0..<10 {
      let picture = Picture.noise(encoder.pictureSize, using: &random)
      let bytes = picture.encoded(by: &encoder)
      #expect(bytes.count < 300)
      terminal.feed(bytes)
      let shown = try #require(terminal.shown.first)
      #expect(terminal.images[shown.image]?.pixels == pixels(picture))
      all.formUnion(memory.names)
      let left = all.filter { !Self.memory($0).isEmpty }
      #expect(left.count <= 4, "a terminal that reads nothing doesn't fill the memory")
    }
    memory.removeAll()
    #expect(all.count == 10 && all.allSatisfy { Self.memory($0).isEmpty })
  }

  @Test("A picture has the terminal's own pixels, or fewer of the same shape")
  func sizes() {
    let area = CellArea(column: 0, row: 0, columns: 120, rows: 34)
    var encoder = PictureEncoder(
      area: area, quality: PictureQuality(blocks: .pixels, pixelLimit: 1920 * 1080))
    encoder.cell = CellSize(width: 10, height: 20)
    #expect(encoder.pictureSize == (1200, 680))
    encoder.quality.pixelLimit = 320 * 180
    let size = encoder.pictureSize
    #expect(size.width * size.height <= 320 * 180 && size.width * size.height > 310 * 180)
    #expect(abs(Double(size.width) / Double(size.height) - 1200.0 / 680) < 0.01)
    #expect(CellSize(columns: 80, rows: 24, pixels: (0, 0)) == nil, "many terminals don't say")
  }

  @Test("Covered cells are left free, and drawn again without the cover")
  func covers() {
    var random = Dice(seed: 2)
    var encoder = encoder()
    var terminal = Graphics()
    let picture = Picture.noise(encoder.pictureSize, using: &random)
    let cover = CellArea(column: 8, row: 5, columns: 6, rows: 3)
    for covers in [[cover], [], [cover, CellArea(column: 4, row: 2, columns: 16, rows: 1)]] {
      encoder.covers = covers
      terminal.feed(picture.encoded(by: &encoder))
      for row in area.row..<area.row + area.rows {
        for column in area.column..<area.column + area.columns {
          let isCovered = covers.contains { $0.contains(column: column, row: row) }
          let count = terminal.shown.count { $0.cells.contains(column: column, row: row) }
          #expect(count == (isCovered ? 0 : 1), "\(column) \(row)")
        }
      }
      // Each piece shows its own part.
      for piece in terminal.shown {
        let image = terminal.images[piece.image]!
        #expect(piece.source[0] == (piece.cells.column - area.column) * image.width / area.columns)
        #expect(piece.source[1] == (piece.cells.row - area.row) * image.height / area.rows)
      }
    }
  }

  @Test(
    "It is placed again over written cells, and sent again after the terminal was cleared")
  func repainting() throws {
    var random = Dice(seed: 4)
    var encoder = encoder()
    var terminal = Graphics()
    #expect(encoder.repaint() == nil)
    let picture = Picture.noise(encoder.pictureSize, using: &random)
    terminal.feed(picture.encoded(by: &encoder))
    #expect(encoder.repaint() == [])
    encoder.forget(CellArea(column: 0, row: 0, columns: 30, rows: 1))
    #expect(encoder.repaint() == [], "nothing of the picture is there")

    terminal.placements = [:]
    encoder.forget(CellArea(column: 5, row: 4, columns: 1, rows: 1))
    let again = encoder.repaint() ?? []
    #expect(again.count < 200)
    terminal.feed(again)
    #expect(terminal.shown.map(\.cells) == [area])

    (terminal.placements, terminal.images) = ([:], [:])
    encoder.forget()
    terminal.feed(encoder.repaint() ?? [])
    let shown = try #require(terminal.shown.first)
    #expect(terminal.images[shown.image]?.pixels == pixels(picture))
  }

  /// kitty with tmux in it: tmux keeps the cells, and lets the commands through.
  private struct Tmux {
    var graphics = Graphics()
    var cells = PictureTerminal(columns: 24, rows: 12)

    mutating func feed(_ bytes: [UInt8]) {
      let opening = Array("\u{1B}Ptmux;".utf8)
      var rest = bytes[...]
      var own: [UInt8] = []
      while let start = rest.firstRange(of: opening) {
        own += rest[..<start.lowerBound]
        rest = rest[start.upperBound...]
        var passed: [UInt8] = []
        while let byte = rest.popFirst(), byte != 0x1B || rest.popFirst() == 0x1B {
          passed.append(byte)
        }
        #expect(passed.count < 5000)
        graphics.feed(passed)
      }
      cells.feed(own + rest)
    }

    /// Returns the part of the picture in a cell, as its row and column, if the cell shows the picture.
    func part(column: Int, row: Int) -> [Int]? {
      guard let found = cells.cells[row * cells.columns + column].placeholder,
        found.numbers.count == 3, let virtual = graphics.virtual,
        found.numbers[2] << 24 | found.color == virtual.image
      else { return nil }
      return Array(found.numbers.prefix(2))
    }
  }

  @Test(
    "In tmux the cells name their part of the picture, and each frame changes only the picture",
    arguments: [true, false])
  func tmux(isShared: Bool) throws {
    var random = Dice(seed: 6)
    let memory = SharedPictures()
    var encoder = PictureEncoder(
      area: area,
      quality: PictureQuality(blocks: .pixels, medium: isShared ? .sharedMemory : .link),
      memory: memory, throughTmux: true)
    var terminal = Tmux()
    let cover = CellArea(column: 8, row: 5, columns: 6, rows: 3)
    var picture = Picture.noise(encoder.pictureSize, using: &random)
    func check(covers: [CellArea] = []) throws {
      let shown = try #require(terminal.graphics.virtual)
      #expect(shown.columns == area.columns && shown.rows == area.rows)
      #expect(terminal.graphics.images.count == 1)
      #expect(terminal.graphics.images[shown.image]?.pixels == pixels(picture))
      for row in area.row..<area.row + area.rows {
        for column in area.column..<area.column + area.columns
        where !covers.contains(where: { $0.contains(column: column, row: row) }) {
          #expect(
            terminal.part(column: column, row: row) == [row - area.row, column - area.column])
        }
      }
    }
    for _ in 0..<3 {
      terminal.feed(picture.encoded(by: &encoder))
      try check()
      #expect(terminal.cells.writes == area.columns * area.rows)
      picture = picture.changed(by: 4, using: &random)
    }
    // A dialog appears and disappears.
    encoder.covers = [cover]
    terminal.cells.erase(cover)
    terminal.feed(picture.encoded(by: &encoder))
    try check(covers: [cover])
    #expect(terminal.part(column: 8, row: 5) == nil)
    encoder.covers = []
    terminal.feed(encoder.repaint() ?? [])
    try check()

    terminal.cells.erase(CellArea(column: 0, row: 0, columns: 24, rows: 12))
    encoder.forget()
    terminal.feed(encoder.repaint() ?? [])
    try check()
    terminal.feed(encoder.remove())
    #expect(terminal.graphics.images.isEmpty && terminal.graphics.virtual == nil)
    #expect(terminal.cells.surprises.isEmpty, "\(terminal.cells.surprises.prefix(3))")
  }

  @Test("The marks of the placeholders are those of kitty's table")
  func marks() {
    #expect(Placeholders.marks.count == 297)
    #expect(Placeholders.marks.prefix(6) == [0x305, 0x30D, 0x30E, 0x310, 0x312, 0x33D])
    #expect(Placeholders.marks[100] == 0x7EB && Placeholders.marks.last == 0x1D244)
  }

  @Test("Questions through tmux are those to the terminal, with each escape doubled")
  func question() {
    let plain = String(decoding: PixelQuestion.bytes(memory: nil), as: UTF8.self)
    let passed = PixelQuestion.bytes(memory: nil, throughTmux: true)
    let doubled = plain.replacingOccurrences(of: "\u{1B}", with: "\u{1B}\u{1B}")
    #expect(String(decoding: passed, as: UTF8.self) == "\u{1B}Ptmux;\(doubled)\u{1B}\\")
  }

  @Test("It is removed, also if cells replace it")
  func removal() {
    var random = Dice(seed: 3)
    var encoder = encoder()
    var terminal = Graphics()
    terminal.feed(Picture.noise(encoder.pictureSize, using: &random).encoded(by: &encoder))
    #expect(!terminal.shown.isEmpty)
    encoder.quality = PictureQuality()
    terminal.feed(Picture.noise(encoder.pictureSize, using: &random).encoded(by: &encoder))
    #expect(terminal.shown.isEmpty && terminal.images.isEmpty)
    encoder.quality = PictureQuality(blocks: .pixels)
    terminal.feed(Picture.noise(encoder.pictureSize, using: &random).encoded(by: &encoder))
    #expect(!terminal.shown.isEmpty)
    terminal.feed(encoder.remove())
    #expect(terminal.shown.isEmpty && terminal.images.isEmpty)
  }
}
