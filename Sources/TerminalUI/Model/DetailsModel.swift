/// The known facts about one of the library's films.
package struct DetailsModel: Hashable, Sendable {
  /// The library's entry that the facts are about.
  package var id: String
  /// The film's name.
  package var title: TerminalText
  /// The facts, the most important first.
  package var lines: [ItemModel.Detail]
  /// The moments that people marked, in order, as far as there are keys for them.
  package var moments: [TerminalText]
  /// The film's still picture; nil while it is being looked for, or if there is none.
  package var still: PictureModel?

  package init(
    id: String, title: TerminalText, lines: [ItemModel.Detail] = [], moments: [TerminalText] = [],
    still: PictureModel? = nil
  ) {
    self.id = id
    self.title = title
    self.lines = lines
    self.moments = Array(moments.prefix(9))
    self.still = still
  }
}
