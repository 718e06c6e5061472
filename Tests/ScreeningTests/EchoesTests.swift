import Testing
import Timekeeping

@testable import Screening

@Suite("Remarks of earlier evenings")
struct EchoesTests {
  private func texts(_ echoes: inout Echoes, _ positions: [Double?]) -> [String] {
    positions.flatMap { position in
      echoes.due(at: position.map(MediaTime.init(seconds:))).map(\.text)
    }
  }

  private func echoes(_ times: Double...) -> Echoes {
    var echoes = Echoes()
    echoes.began("film")
    echoes.recalled(
      times.map { .init(name: "Ben", text: "\($0)", itemTime: MediaTime(seconds: $0)) },
      of: "film")
    return echoes
  }

  @Test("Each comes back once, when the film plays past its place")
  func playback() {
    var film = echoes(3, 1, 2)
    #expect(texts(&film, [0, 0.5, 1, 1.5, 2.5]) == ["1.0", "2.0"])
    #expect(texts(&film, [2.5, 3.5, 4]) == ["3.0"])
    // Again, after a jump back.
    #expect(texts(&film, [0.5, 1.1]) == ["1.0"])
  }

  @Test("A jump, a pause and a film that isn't on the screen pass over them")
  func jumps() {
    var film = echoes(10)
    #expect(texts(&film, [0, 20]) == [])
    #expect(texts(&film, [9, nil, 11]) == [])
    #expect(texts(&film, [9, 9, 9]) == [])
  }

  @Test("Many at one place don't fill the chat, and the user can hide all")
  func limits() {
    var film = Echoes()
    film.began("film")
    film.recalled(
      (0..<100).map { .init(name: "Ben", text: "\($0)", itemTime: MediaTime(seconds: 1)) },
      of: "film")
    #expect(texts(&film, [0.5, 1.5]).count == Echoes.burst)
    film.toggle()
    #expect(texts(&film, [0.5, 1.5]) == [])
  }

  @Test("Those of another film aren't shown, also if they are found late")
  func otherFilm() {
    var film = echoes(1)
    film.began("other")
    film.recalled([.init(name: "Ben", text: "1", itemTime: MediaTime(seconds: 1))], of: "film")
    #expect(texts(&film, [0.5, 1.5]) == [])
  }
}
