import TerminalVideo
import Testing
import Timekeeping

@testable import TerminalUI

@Suite("The choice of the kind of picture")
struct PictureChoiceTests {
  private func at(_ milliseconds: Int64) -> HostTime {
    HostTime(nanoseconds: milliseconds * 1_000_000)
  }

  /// Returns a choice whose terminal was asked at 0.
  private func asked(
    _ blocks: PictureQuality.Blocks? = nil, isRemote: Bool = false
  ) -> PictureChoice {
    var choice = PictureChoice(blocks: blocks, isRemote: isRemote)
    choice.asked(at: at(0))
    return choice
  }

  @Test(
    "Cells are shown until the terminal confirms pixels",
    arguments: [nil, PictureQuality.Blocks.pixels])
  func unconfirmed(blocks: PictureQuality.Blocks?) {
    var choice = asked(blocks)
    #expect(choice.best.blocks == .quadrants)
    choice.confirmed(.link, at: at(30))
    #expect(choice.best.blocks == .pixels)
  }

  @Test("A late answer shows a slow link, which keeps its cells unless pixels were asked for")
  func late() {
    var choice = asked()
    choice.confirmed(.link, at: at(1200))
    #expect(choice.best.blocks == .quadrants)
    var insisting = asked(.pixels)
    insisting.confirmed(.link, at: at(1200))
    #expect(insisting.best.blocks == .pixels)
    // On this machine only the start is slow.
    choice.confirmed(.sharedMemory, at: at(5000))
    #expect(choice.best.blocks == .pixels)
  }

  @Test("Shared memory is preferred in either order of answers, and has room for all pixels")
  func media() {
    for media in [[PictureQuality.Medium.sharedMemory, .link], [.link, .sharedMemory]] {
      var choice = asked()
      for medium in media { choice.confirmed(medium, at: at(10)) }
      #expect(choice.best.medium == .sharedMemory)
      #expect(choice.best.pixelLimit == 1920 * 1080)
      choice.sharedMemoryFailed()
      #expect(choice.best.medium == .link && choice.best.pixelLimit < 1920 * 1080)
    }
  }

  @Test("A network carries fewer pixels than a link within this machine")
  func network() {
    var near = asked()
    var far = asked(isRemote: true)
    near.confirmed(.link, at: at(10))
    far.confirmed(.link, at: at(10))
    #expect(far.best.blocks == .pixels && far.best.pixelLimit < near.best.pixelLimit)
    #expect(far.beginsWithCells && !near.beginsWithCells)
    var insisting = asked(.pixels, isRemote: true)
    insisting.confirmed(.link, at: at(10))
    #expect(!insisting.beginsWithCells)
    while far.advance() != .pixels {}
    #expect(!far.beginsWithCells, "the key was pressed for it")
  }

  @Test(
    "Cells that were asked for are kept",
    arguments: [PictureQuality.Blocks.halves, .quadrants, .octants])
  func wish(blocks: PictureQuality.Blocks) {
    var choice = asked(blocks)
    choice.confirmed(.sharedMemory, at: at(10))
    #expect(choice.best.blocks == blocks)
  }

  @Test("Sixels are shown where the terminal has them, until it confirms kitty's pixels")
  func sixel() {
    var choice = asked()
    choice.confirmedSixel(at: at(10))
    #expect(choice.best.blocks == .sixel && choice.best.pixelLimit == 1280 * 720)
    #expect((0..<3).map { _ in choice.advance() } == [.quadrants, .halves, .sixel])
    for isFirst in [true, false] {
      var both = asked()
      if isFirst { both.confirmedSixel(at: at(10)) }
      both.confirmed(.link, at: at(10))
      if !isFirst { both.confirmedSixel(at: at(10)) }
      #expect(both.best.blocks == .pixels && both.best.pixelLimit == 480 * 270)
      #expect((0..<4).map { _ in both.advance() } == [.sixel, .quadrants, .halves, .pixels])
    }
    var late = asked()
    late.confirmedSixel(at: at(1200))
    #expect(late.best.blocks == .quadrants)
    var wish = asked(.sixel, isRemote: true)
    wish.confirmed(.link, at: at(1200))
    wish.confirmedSixel(at: at(1200))
    #expect(wish.best.blocks == .sixel && !wish.beginsWithCells)
    var far = asked(isRemote: true)
    far.confirmedSixel(at: at(10))
    #expect(far.beginsWithCells)
  }

  @Test("Octants replace quadrants where the terminal draws them, until pixels do")
  func octants() {
    var choice = asked()
    choice.confirmedOctants()
    #expect(choice.best.blocks == .octants)
    choice.confirmed(.link, at: at(10))
    #expect(choice.best.blocks == .pixels && choice.cells == .octants)
    #expect((0..<4).map { _ in choice.advance() } == [.octants, .quadrants, .halves, .pixels])
    var wish = asked(.quadrants)
    wish.confirmedOctants()
    #expect(wish.best.blocks == .quadrants)
  }

  @Test("The key cycles through the kinds that the terminal has, and no answer changes its choice")
  func key() {
    var choice = asked()
    #expect((0..<3).map { _ in choice.advance() } == [.halves, .quadrants, .halves])
    choice.confirmed(.sharedMemory, at: at(10))
    #expect(choice.best.blocks == .halves)
    #expect((0..<4).map { _ in choice.advance() } == [.pixels, .quadrants, .halves, .pixels])
  }
}
